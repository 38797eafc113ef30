import type { SendResult } from '@/server/partners/webhooks/delivery-log';
import { describeOutcome } from './delivery-words';

/** The outcome of an attempt that an owner requested, as shown to them. */
export type SentNow = { isDelivered: boolean; outcome: string; durationMs: number; response: string };

/** What receivers return for a signature that they cannot verify. */
const REFUSALS = [400, 401, 403];

export function toSentNow({ result, isDelivered }: Extract<SendResult, { ok: true }>): SentNow {
  const { durationMs, response } = result;
  const hint = REFUSALS.includes(result.status ?? 0) ? ': usually a wrong signing secret' : '';
  return { isDelivered, outcome: describeOutcome(result) + hint, durationMs, response };
}
