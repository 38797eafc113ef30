import type { BadgeLook } from '@/app/_ui/badge';
import type { AppOfUser } from '@/server/identity/apps-of-user';

/** Whether an app may spend, in one word, and why not, in one sentence. */
export type SpendingStatus = { look: BadgeLook; word: string; reason: string | null };

export function describeSpending(
  app: Pick<AppOfUser, 'status' | 'isSuspended' | 'allowancePaused' | 'name'>,
): SpendingStatus {
  if (app.isSuspended)
    return {
      look: 'warning',
      word: 'Switched off',
      reason: `${app.name} is switched off by this service at the moment. Its keys work again when it is back.`,
    };
  switch (app.status) {
    case 'ok':
      return app.allowancePaused === null
        ? { look: 'positive', word: 'Can spend', reason: null }
        : {
            look: 'positive',
            word: 'Can spend',
            reason: 'The allowance is paused: only credits bought in this app are spent.',
          };
    case 'insufficient_credits':
      return { look: 'neutral', word: 'No credits', reason: 'You have no credits left. Buy some to go on.' };
    case 'partner_not_permitted':
      return app.allowancePaused === null
        ? {
            look: 'neutral',
            word: 'Not allowed',
            reason: 'Your credits were bought elsewhere and this app has no allowance for them.',
          }
        : { look: 'warning', word: 'Paused', reason: 'You paused the allowance of this app.' };
    case 'partner_limit_reached':
      return {
        look: 'warning',
        word: 'Used up',
        reason: 'This app has used up the allowance that you gave it.',
      };
  }
}
