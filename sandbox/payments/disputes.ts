import type { Emulator } from './emulator';
import { type Charge, type Dispute, type DisputeStatus, newStripeId } from './objects';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

const DAY_SECONDS = 86_400;
const DAYS_TO_RESPOND = 9;
const INQUIRY = /^warning_/;
const CLOSED = /^(warning_closed|won|lost)$/;

/** A dispute takes the whole charge back until it is won; an inquiry takes nothing. */
export async function openDispute(
  { records, webhooks }: Emulator,
  charge: Charge,
  status: DisputeStatus,
): Promise<void> {
  const dispute: Dispute = {
    id: newStripeId('du'),
    object: 'dispute',
    amount: charge.amount,
    charge: charge.id,
    created: unixSeconds(),
    currency: charge.currency,
    evidence_details: { due_by: dueIn(DAYS_TO_RESPOND) },
    is_charge_refundable: INQUIRY.test(status),
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status,
  };
  await Promise.all([
    records.save('dispute', dispute.id, dispute),
    records.save('charge', charge.id, { ...charge, disputed: charge.disputed || !INQUIRY.test(status) }),
  ]);
  await webhooks.emit('charge.dispute.created', dispute);
}

/** The dispute reaches another stage: at Stripe it keeps its id, even after it was decided. */
export async function moveDispute(
  { records, webhooks }: Emulator,
  id: string,
  status: DisputeStatus,
  dueInDays?: number,
): Promise<void> {
  const dispute = records.require('dispute', id);
  const charge = records.require('charge', dispute.charge);
  const moved: Dispute = {
    ...dispute,
    status,
    is_charge_refundable: INQUIRY.test(status),
    ...(dueInDays !== undefined && { evidence_details: { due_by: dueIn(dueInDays) } }),
  };
  await Promise.all([
    records.save('dispute', id, moved),
    records.save('charge', charge.id, { ...charge, disputed: charge.disputed || !INQUIRY.test(status) }),
  ]);
  await webhooks.emit(CLOSED.test(status) ? 'charge.dispute.closed' : 'charge.dispute.updated', moved);
}

const dueIn = (days: number): number => unixSeconds() + days * DAY_SECONDS;

/** What the bank has taken back cannot be refunded. */
export function refuseDisputed({ records }: Emulator, charge: Charge): void {
  const taken = disputesOf(records, charge).some(({ status }) => !INQUIRY.test(status) && status !== 'won');
  if (!taken) return;
  throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
    code: 'charge_disputed',
  });
}

/** A full refund answers an inquiry. */
export async function settleInquiries(emulator: Emulator, charge: Charge): Promise<void> {
  for (const { id, status } of disputesOf(emulator.records, charge))
    if (INQUIRY.test(status) && !CLOSED.test(status)) await moveDispute(emulator, id, 'warning_closed');
}

const disputesOf = (records: Emulator['records'], { id }: Charge): Dispute[] =>
  records.all('dispute').filter(({ charge }) => charge === id);
