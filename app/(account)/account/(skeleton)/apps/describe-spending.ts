import type { BadgeLook } from '@/app/_ui/badge';
import type { AppOfUser } from '@/server/people/apps-of-user';
import { inCredits } from '../../show-credits';

/** Whether an app may spend, in one word, and if not, why. */
export type SpendingStatus = { look: BadgeLook; word: string; reason: SpendingReason | null };

/** Who or what prevents spending, and when that began or ends. */
export type SpendingReason = {
  text: string;
  /** ISO 8601. Ends the sentence, if there is one. */
  at?: string;
};

type App = Pick<AppOfUser, 'status' | 'limit' | 'isSuspended' | 'allowancePaused' | 'name'>;

export function describeSpending(app: App): SpendingStatus {
  if (app.isSuspended)
    return {
      look: 'warning',
      word: 'Disabled',
      reason: { text: `This service disabled ${app.name}. Its keys work again once it is enabled.` },
    };
  switch (app.status) {
    case 'ok':
      return {
        look: 'positive',
        word: 'Can spend',
        reason:
          app.allowancePaused === null
            ? null
            : { text: 'You paused this app’s allowance. It can only spend credits bought in it.' },
      };
    case 'insufficient_credits':
      return { look: 'neutral', word: 'No credits', reason: { text: 'You have no credits left.' } };
    case 'partner_not_permitted':
      return app.allowancePaused === null
        ? {
            look: 'neutral',
            word: 'Not allowed',
            reason: {
              text: 'Your credits were bought elsewhere, and this app has no allowance to spend them.',
            },
          }
        : { look: 'warning', word: 'Paused', reason: { text: 'You paused this app’s allowance.' } };
    case 'partner_limit_reached':
      return describeLimit(app);
    case 'paused_for_review':
      return {
        look: 'warning',
        word: 'In review',
        reason: { text: 'This service paused requests for review. Your credits are kept.' },
      };
  }
}

/** Without a limit, the allowance is used up. */
function describeLimit({ limit, name }: App): SpendingStatus {
  if (limit === null)
    return { look: 'warning', word: 'Used up', reason: { text: 'This app has used up its allowance.' } };
  const { kind, scope, resetsAt, stoppedAt, most } = limit;
  // That all apps are stopped is at the top of every page.
  if (stoppedAt !== null)
    return {
      look: 'warning',
      word: 'Stopped',
      reason: scope === 'all' ? null : { text: 'You stopped this app on', at: stoppedAt.toISOString() },
    };
  const whose = {
    app: 'Your limit for this app',
    all: 'Your limit for all apps',
    partner: `The limit that ${name} set`,
  }[scope];
  const amount = most === null ? '' : `, ${inCredits(most)} per ${kind},`;
  return {
    look: 'warning',
    word: 'Limited',
    reason: {
      text: `${whose}${amount} is reached.${resetsAt === null ? '' : ' It resets on'}`,
      ...(resetsAt && { at: resetsAt.toISOString() }),
    },
  };
}
