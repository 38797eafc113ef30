import type { BadgeLook } from '@/app/_ui/badge';
import { creditsToJson } from '@/server/base/credits';
import type { AppOfUser } from '@/server/people/apps-of-user';
import { describeSpending, type SpendingReason } from './describe-spending';

/** An app in the form the client-side table needs. */
export type AppRow = {
  partnerId: string;
  name: string;
  own: number;
  /** Null when no allowance is set. */
  allowance: number | null;
  paused: number | null;
  spendable: number;
  look: BadgeLook;
  word: string;
  /** Only if someone has to act, or time to pass. */
  reason: SpendingReason | null;
  keys: number;
};

export function toAppRow(app: AppOfUser): AppRow {
  const { look, word, reason } = describeSpending(app);
  const inJson = (amount: bigint | null) => (amount === null ? null : creditsToJson(amount));
  return {
    partnerId: app.partnerId,
    name: app.name,
    own: creditsToJson(app.own),
    allowance: inJson(app.allowanceLeft),
    paused: inJson(app.allowancePaused),
    // Its keys do not work, so nothing can be spent.
    spendable: app.isSuspended ? 0 : creditsToJson(app.balance),
    look,
    word,
    reason: look === 'warning' ? reason : null,
    keys: app.keys.length,
  };
}
