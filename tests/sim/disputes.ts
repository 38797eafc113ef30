import { prisma } from '@/server/base/db';
import type { Site } from './clients';
import type { Tally } from './tally';

/** A dispute moves through the bank: an inquiry escalates, a decision falls, and the bank may reopen it. */

type Status =
  | 'warning_needs_response'
  | 'warning_closed'
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'
  | 'appeal_under_review';

const NEXT: Record<Status, Status[]> = {
  warning_needs_response: ['needs_response', 'warning_closed'],
  warning_closed: ['needs_response'],
  needs_response: ['under_review', 'won', 'lost'],
  under_review: ['won', 'lost'],
  won: ['needs_response'],
  lost: ['appeal_under_review'],
  appeal_under_review: ['won', 'lost'],
};
const NAMES: Partial<Record<`${Status} ${Status}`, string>> = {
  'warning_needs_response needs_response': 'dispute escalated',
  'won needs_response': 'disputed again',
  'lost appeal_under_review': 'dispute reopened',
};
const TAKES_NOTHING = /^(warning_|won$)/;
const MOST_MOVES = 5;

export async function disputePayment(site: Site, sessionId: string): Promise<void> {
  const { random, tally, processor, control } = site;
  const isInquiry = random() < 0.4;
  try {
    const { processorSessionId } = await prisma().checkoutSession.findUniqueOrThrow({
      where: { id: sessionId },
    });
    const session = await processor.checkout.sessions.retrieve(processorSessionId ?? '');
    const payment_intent = String(session.payment_intent);
    const { latest_charge } = await processor.paymentIntents.retrieve(payment_intent);
    let status: Status = isInquiry ? 'warning_needs_response' : 'needs_response';
    await control({ open_dispute: { charge: String(latest_charge), status } });
    tally.operation(isInquiry ? 'inquiry' : 'dispute');
    note(tally, sessionId, status);
    const [dispute] = (await processor.disputes.list({ payment_intent })).data;
    for (let moves = Math.floor(random() * MOST_MOVES); moves > 0; moves--) {
      const next: Status = pick(random, NEXT[status]);
      await control({ move_dispute: { id: dispute?.id ?? '', status: next } });
      tally.operation(NAMES[`${status} ${next}`] ?? `dispute ${next.replace(/_/g, ' ')}`);
      status = next;
      note(tally, sessionId, status);
    }
  } catch {
    tally.operation('database away');
  }
}

function note(tally: Tally, sessionId: string, status: Status): void {
  if (TAKES_NOTHING.test(status)) tally.disputed.delete(sessionId);
  else tally.disputed.add(sessionId);
}

const pick = <T>(random: () => number, choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)] as T;
