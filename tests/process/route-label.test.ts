import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { labelRoute } from '@/server/process/route-label';
import { targetOf } from '@/server/process/target';
import { APP_ROUTES } from '../harness/app-routes';

const labelOf = (url: string): string => labelRoute(targetOf({ url } as IncomingMessage));

test('every page and route has a name in the metrics', () => {
  expect(APP_ROUTES.filter(({ place }) => /^(other|\/v1\/\*)$/.test(labelOf(place)))).toEqual([]);
});

test.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/chat/completions', '/v1/chat/completions'],
  ['/v1/credits/receipts/req_1', '/v1/credits/receipts/[id]'],
  ['/v1/models/openai/gpt', '/v1/models/[...id]'],
  ['/v1/nothing/svc_sk_secret', '/v1/*'],
  ['/v1/svc.js', '/v1'],
  ['/redeem/CODE', '/redeem'],
  ['/account/activity/req_1', '/account'],
  ['/?code=secret', '/'],
  ['/.env', 'other'],
])('%s is named %s, without what a client chose', (url, label) => {
  expect(labelOf(url)).toBe(label);
});
