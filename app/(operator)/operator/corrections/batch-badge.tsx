import { Badge, type BadgeLook } from '@/app/_ui/badge';
import type { ProposedBatch } from '@/server/operator/corrections';

const STATES: Record<ProposedBatch['state'], [BadgeLook, string]> = {
  proposed: ['warning', 'To approve'],
  approved: ['neutral', 'Being booked'],
  booked: ['positive', 'Booked'],
  discarded: ['neutral', 'Discarded'],
};

export function BatchBadge({ state }: Pick<ProposedBatch, 'state'>) {
  const [look, text] = STATES[state];
  return <Badge look={look}>{text}</Badge>;
}
