import { createHash } from 'node:crypto';
import { DAY_MS } from '../../server/base/clock';
import type { Records, ReplyRecord } from './records';
import { StripeError } from './stripe-errors';
import { sandboxNow } from './time';

export type Reply = { status: number; body: unknown; requestId: string; replayed: boolean };

const KEPT_MS = DAY_MS;
const CARD_REFUSED = 402;
const NO_MONEY = 'balance_insufficient';

/**
 * Answers a repeated POST with the response to the first one, even if a card was declined or money was missing. Requests
 * refused before they had any effect are not remembered, as at Stripe.
 */
export class IdempotentReplies {
  private readonly inFlight = new Set<string>();
  private readonly records: Records;

  constructor(records: Records) {
    this.records = records;
  }

  async run(
    key: string,
    request: { path: string; body: string; requestId: string },
    execute: () => Promise<unknown>,
  ): Promise<Reply> {
    const id = `reply_${key}`;
    const fingerprint = createHash('sha256').update(`${request.path}\n${request.body}`).digest('base64url');
    const stored = this.records.find('reply', id);
    if (stored !== null && stored.storedAt + KEPT_MS > sandboxNow()) return replay(key, stored, fingerprint);
    if (this.inFlight.has(key)) throw keyInUse(key);
    this.inFlight.add(key);
    try {
      const reply = { ...(await settle(execute)), requestId: request.requestId };
      await this.records.save('reply', id, { ...reply, fingerprint, storedAt: sandboxNow() });
      return { ...reply, replayed: false };
    } finally {
      this.inFlight.delete(key);
    }
  }
}

async function settle(execute: () => Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    return { status: 200, body: await execute() };
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    if (error.status !== CARD_REFUSED && error.body.code !== NO_MONEY) throw error;
    return { status: error.status, body: { error: error.body } };
  }
}

function replay(key: string, stored: ReplyRecord, fingerprint: string): Reply {
  if (stored.fingerprint === fingerprint) return { ...stored, replayed: true };
  throw new StripeError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

function keyInUse(key: string): StripeError {
  return new StripeError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (${key}). Please try again later.`,
  });
}
