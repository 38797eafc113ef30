import { Badge, type BadgeLook } from '@/app/_ui/badge';
import type { Attention, ListedPayout } from '@/server/payments/payouts/operator-list';

const STATES: Record<ListedPayout['state'], [BadgeLook, string]> = {
  planned: ['neutral', 'Planned'],
  sending: ['neutral', 'Sending'],
  waiting_for_balance: ['warning', 'Waiting for balance'],
  sent: ['positive', 'Sent'],
  returned: ['danger', 'Returned'],
  failed: ['danger', 'Failed'],
};

const DUE: Partial<Record<Attention, [BadgeLook, string]>> = {
  approve: ['warning', 'To approve'],
  pay: ['warning', 'To pay'],
  bank_failed: ['danger', 'Returned by the bank'],
  held: ['neutral', 'Paused'],
};

/** What is due, or else the state. */
export function PayoutBadge({ state, attention }: Pick<ListedPayout, 'state' | 'attention'>) {
  const [look, text] = (attention && DUE[attention]) ?? STATES[state];
  return <Badge look={look}>{text}</Badge>;
}
