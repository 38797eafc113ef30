import type { SendResult } from '@/server/partners/webhooks/delivery-log';
import { describeOutcome } from './delivery-words';

/** The outcome of an attempt that an owner requested, as shown to them. */
export type SentNow = { isDelivered: boolean; outcome: string; durationMs: number; response: string };

export function toSentNow({ result, isDelivered }: Extract<SendResult, { ok: true }>): SentNow {
  const { durationMs, response } = result;
  return { isDelivered, outcome: describeOutcome(result), durationMs, response };
}
