import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import { SECOND_MS } from '../../../base/clock';

/** With the waits below, a call gives up after about 8 seconds. Stripe counts by the second. */
const MAX_RETRIES = 5;
const FIRST_WAIT_MS = SECOND_MS / 4;
const MAX_WAIT_MS = 4 * SECOND_MS;

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** Waits and repeats when Stripe responds with 429, which its SDK does not do. A repetition has the same idempotency key. */
export function retryRateLimited(client: HttpClient): HttpClient {
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request) => {
    for (let tries = 0; ; tries++) {
      const response = await send(...request);
      if (response.getStatusCode() !== 429 || tries === MAX_RETRIES) return response;
      await response.toJSON();
      await pause(waitMs(tries, response.getHeaders()['retry-after']));
    }
  };
  return client;
}

/** As long as the response asks for, or else twice as long each time. Callers that collide spread out. */
function waitMs(tries: number, retryAfter: unknown): number {
  const asked = Number(retryAfter) * SECOND_MS;
  if (asked > 0) return Math.min(asked, MAX_WAIT_MS);
  return Math.min(FIRST_WAIT_MS * 2 ** tries, MAX_WAIT_MS) * (0.75 + Math.random() / 2);
}
