import Stripe from 'stripe';
import { afterAll, expect, test } from 'vitest';
import { listenOnLoopback } from '../../../../sandbox/loopback-server';
import { limitResponses, MAX_RESPONSE_CHARACTERS } from './response-limit';

const CHUNK = Buffer.alloc(64 * 1024, ' ');
let sent = 0;
const server = await listenOnLoopback(async (request, response) => {
  const isEndless = request.url === '/v1/balance';
  response.setHeader('content-type', 'application/json');
  if (!isEndless) return void response.end('{"id":"cus_1","object":"customer"}');
  const write = () => {
    while (!response.destroyed && response.write(CHUNK)) sent += CHUNK.length;
    if (!response.destroyed) response.once('drain', write);
  };
  write();
});
afterAll(() => server.close());
const { hostname, port } = new URL(server.url);
const stripe = new Stripe('sk_test_limit', {
  host: hostname,
  port,
  protocol: 'http',
  telemetry: false,
  maxNetworkRetries: 0,
  httpClient: limitResponses(Stripe.createNodeHttpClient()),
});

test('a response of the payment processor without an end is cut off @attack', async () => {
  await expect(stripe.balance.retrieve()).rejects.toThrow(Stripe.errors.StripeConnectionError);
  expect(sent).toBeLessThan(4 * MAX_RESPONSE_CHARACTERS);
  expect(await stripe.customers.retrieve('cus_1')).toMatchObject({ id: 'cus_1' });
});
