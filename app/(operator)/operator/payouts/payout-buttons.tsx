'use client';

import type { ListedPayout } from '@/server/payments/payouts/operator-list';
import { ReasonButton } from '../reason-button';
import { approvePayout, decidePayout, planPayoutAgain, reverse } from './actions';
import { SentButton } from './sent-button';

export type PayoutButtonsProps = Pick<
  ListedPayout,
  'id' | 'teamId' | 'method' | 'state' | 'attention' | 'isHeld' | 'payeeSavedAt'
> & {
  /** For screen readers: the amount and the team. */
  describe: string;
  /** In USD, as decimal text. */
  dollars: string;
};

type Decision = Parameters<typeof decidePayout>[0]['what'];
type Words = { label: string; title: string; consequence: string; isDanger?: boolean; look?: 'primary' };

const SEEN = 'The team sees the reason.';

const WORDS: Record<Decision, Words> = {
  hold: {
    label: 'Pause',
    title: 'Pause this payout?',
    consequence: `It is not sent until you resume it. ${SEEN}`,
  },
  release: {
    label: 'Resume',
    title: 'Resume this payout?',
    consequence: 'It is sent once nothing else prevents it.',
  },
  send_now: {
    label: 'Try again now',
    title: 'Try to send this payout now?',
    consequence: 'If the balance is still too low, Stripe refuses it again, and svc keeps trying every day.',
    look: 'primary',
  },
  returned: {
    label: 'Record as returned',
    title: 'Record this payout as returned?',
    consequence: `The amount becomes payable again. This cannot be undone. ${SEEN}`,
    isDanger: true,
  },
  failed: {
    label: 'Record as failed',
    title: 'Record this payout as failed?',
    consequence: `The amount becomes payable again, and the team or you can request another payout. This cannot be undone. ${SEEN}`,
    isDanger: true,
  },
};

function decisionsFor({ state, attention, method, isHeld }: PayoutButtonsProps): Decision[] {
  const isUnsent = state === 'planned' || state === 'waiting_for_balance';
  return [
    ...(state === 'waiting_for_balance' && attention !== 'held' ? (['send_now'] as const) : []),
    ...(isHeld ? (['release'] as const) : isUnsent ? (['hold'] as const) : []),
    ...(state === 'planned' ? (['failed'] as const) : []),
    ...(state === 'sent' && method === 'manual' ? (['returned'] as const) : []),
  ];
}

/** What an operator can do about a payout now. */
export function PayoutButtons(payout: PayoutButtonsProps) {
  const { id: payoutId, teamId, state, attention, method, describe, dollars } = payout;
  return (
    <>
      {attention === 'pay' && <SentButton payoutId={payoutId} describe={describe} dollars={dollars} />}
      {attention === 'approve' && (
        <ReasonButton
          label="Approve"
          title="Approve this payout?"
          consequence="It can be paid from now on. Later payouts to the same destination need no approval."
          describe={describe}
          look="primary"
          action={(reason) => approvePayout({ payoutId, payeeSavedAt: payout.payeeSavedAt, reason })}
        />
      )}
      {decisionsFor(payout).map((what) => (
        <ReasonButton
          key={what}
          {...WORDS[what]}
          describe={describe}
          action={(reason) => decidePayout({ payoutId, what, reason })}
        />
      ))}
      {state === 'sent' && method === 'stripe' && (
        <ReasonButton
          label="Reverse"
          title="Reverse this payout?"
          consequence={`Stripe takes the whole amount back from the team’s account, if its balance covers it. The amount becomes payable again. ${SEEN}`}
          describe={describe}
          isDanger
          action={(reason) => reverse({ payoutId, reason })}
        />
      )}
      {(attention === 'failed' || attention === 'returned') && (
        <ReasonButton
          label="Plan again"
          title="Plan another payout for this team?"
          consequence="It includes everything currently payable to the team."
          describe={describe}
          look="primary"
          action={(reason) => planPayoutAgain({ teamId, reason })}
        />
      )}
    </>
  );
}
