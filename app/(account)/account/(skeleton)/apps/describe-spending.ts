import type { BadgeLook } from '@/app/_ui/badge';
import type { AppOfUser } from '@/server/people/apps-of-user';

/** Whether an app may spend, in one word, and if not, why, in one sentence. */
export type SpendingStatus = { look: BadgeLook; word: string; reason: string | null };

export function describeSpending(
  app: Pick<AppOfUser, 'status' | 'limitedBy' | 'isSuspended' | 'allowancePaused' | 'name'>,
): SpendingStatus {
  if (app.isSuspended)
    return {
      look: 'warning',
      word: 'Disabled',
      reason: `${app.name} is currently disabled by this service. Its keys work again once it is enabled.`,
    };
  switch (app.status) {
    case 'ok':
      return app.allowancePaused === null
        ? { look: 'positive', word: 'Can spend', reason: null }
        : {
            look: 'positive',
            word: 'Can spend',
            reason: 'The allowance is paused. This app can only spend credits bought in it.',
          };
    case 'insufficient_credits':
      return {
        look: 'neutral',
        word: 'No credits',
        reason: 'You have no credits left. Buy more to continue.',
      };
    case 'partner_not_permitted':
      return app.allowancePaused === null
        ? {
            look: 'neutral',
            word: 'Not allowed',
            reason: 'Your credits were bought elsewhere, and this app has no allowance to spend them.',
          }
        : { look: 'warning', word: 'Paused', reason: 'You paused this app’s allowance.' };
    case 'partner_limit_reached':
      if (app.limitedBy === 'partner')
        return {
          look: 'warning',
          word: 'Limited',
          reason: `You have reached a limit that ${app.name} sets for its users. It resets at the end of the day or month (UTC).`,
        };
      if (app.limitedBy !== null)
        return {
          look: 'warning',
          word: 'Limited',
          reason:
            'A limit that you set is reached, or you stopped this app. See its limits, and those of all apps.',
        };
      return {
        look: 'warning',
        word: 'Used up',
        reason: 'This app has used up its allowance.',
      };
    case 'paused_for_review':
      return {
        look: 'warning',
        word: 'Paused',
        reason: 'Requests are paused while this service reviews them. Your credits are kept.',
      };
  }
}
