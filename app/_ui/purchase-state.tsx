import { Badge, type BadgeLook } from './badge';

export type PurchaseStatus = 'paid' | 'partly_refunded' | 'refunded' | 'disputed';

const STATES: Record<PurchaseStatus, { look: BadgeLook; word: string }> = {
  paid: { look: 'positive', word: 'Paid' },
  partly_refunded: { look: 'neutral', word: 'Partially refunded' },
  refunded: { look: 'neutral', word: 'Refunded' },
  disputed: { look: 'warning', word: 'Disputed' },
};

export function PurchaseState({ status }: { status: PurchaseStatus }) {
  return <Badge look={STATES[status].look}>{STATES[status].word}</Badge>;
}
