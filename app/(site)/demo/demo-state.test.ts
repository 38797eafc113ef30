import { describe, expect, test } from 'vitest';
import { ApiRefusal } from '../../_requests/call-api';
import { describeProblem, needsCheckout } from '../../_requests/describe-problem';
import { type DemoEvent, INITIAL_STATE, reduce } from './demo-state';

const reduceAll = (...events: DemoEvent[]) => events.reduce(reduce, INITIAL_STATE);
const started: DemoEvent = { type: 'request_started' };
const text = (part: string): DemoEvent => ({ type: 'text_received', text: part });
const failed = (error: unknown): DemoEvent => ({ type: 'request_failed', error });
const usage = { request_id: 'req_1', credits: -2, input_tokens: 3, output_tokens: 4, commission_credits: 1 };

describe('a request', () => {
  test('streams its text and shows its charge', () => {
    const streaming = reduceAll(started, text('Once '), text('upon'));
    expect(streaming.response).toEqual({ text: 'Once upon', media: null, isStreaming: true, usage: null });
    const ended = ([{ type: 'usage_read', usage }, { type: 'request_ended' }] as const).reduce(
      reduce,
      streaming,
    );
    expect(ended.response).toEqual({ text: 'Once upon', media: null, isStreaming: false, usage });
  });

  test('for a picture shows it', () => {
    const media = { kind: 'picture', url: 'data:image/png;base64,AA==' } as const;
    const ended = reduceAll(started, { type: 'media_received', media }, { type: 'request_ended' });
    expect(ended.response).toMatchObject({ media, isStreaming: false });
  });

  test('that fails keeps the text that arrived and shows none after it', () => {
    expect(
      reduceAll(started, text('Once'), failed(new Error('Offline')), { type: 'request_ended' }),
    ).toMatchObject({
      problem: { text: 'Offline', link: null },
      response: { text: 'Once', isStreaming: false },
    });
    expect(reduceAll(started, failed(new Error('Offline')), { type: 'request_ended' }).response).toBeNull();
  });

  test.each(['insufficient_credits', 'partner_not_permitted', 'partner_limit_reached'])(
    'refused with %s says what to do, and the checkout resolves it',
    (type) => {
      const refused = reduceAll(started, failed(new ApiRefusal(type, 'Refused')));
      expect(refused).toMatchObject({ response: null, problem: { text: expect.stringMatching(/[Bb]uy/) } });
      expect(reduce(refused, { type: 'credits_changed', userKey: null, balance: 5 }).problem).toBeNull();
    },
  );

  test('refused for any other reason repeats the message of the API', () => {
    expect(reduceAll(started, failed(new ApiRefusal('rate_limited', 'Slow down'))).problem?.text).toBe(
      'Slow down',
    );
  });

  test('refused for its length keeps the checkout closed, and says what the request needs', () => {
    for (const prompt of ['messages', 'input']) {
      const refusal = new ApiRefusal('insufficient_credits', 'Not enough', prompt, 'http://svc/buy');
      expect(reduceAll(started, failed(refusal)).problem).toEqual({
        text: expect.stringContaining('Shorten it, or buy credits'),
        link: { href: 'http://svc/buy', label: 'Buy credits' },
      });
      expect(needsCheckout(refusal)).toBe(false);
    }
  });

  test('refused by a stop or limit says which, in a sentence of its own, and never sells credits', () => {
    const texts = new Set<string>();
    for (const scope of ['app', 'all', 'partner'])
      for (const kind of ['stop', 'model', 'request', 'day', 'week', 'month']) {
        if (scope === 'partner' && (kind === 'stop' || kind === 'week')) continue;
        const refusal = new ApiRefusal('partner_limit_reached', 'API', `limits.${scope}.${kind}`);
        const { text } = describeProblem(refusal);
        expect(text).not.toMatch(/API|buy|allowance/i);
        expect(needsCheckout(refusal)).toBe(false);
        texts.add(text);
      }
    expect(texts.size).toBe(16);
  });

  test('refused by a stop links to where the user resumes the app', () => {
    const param = 'limits.app.stop';
    const refusal = new ApiRefusal('partner_limit_reached', 'API', param, 'http://svc/continue');
    expect(describeProblem(refusal)).toEqual({
      text: 'You stopped this app from spending your credits.',
      link: { href: 'http://svc/continue', label: 'Resume it' },
    });
  });
});

describe('the user', () => {
  test('keeps the key when only the balance changes, and loses both on sign-out', () => {
    const signedIn = reduceAll({ type: 'credits_changed', userKey: 'svc_sk_1', balance: 5 });
    const paid = reduce(signedIn, { type: 'credits_changed', userKey: null, balance: 500 });
    expect(paid).toMatchObject({ userKey: 'svc_sk_1', balance: 500 });
    expect(reduce(paid, { type: 'signed_out' })).toEqual(INITIAL_STATE);
  });

  test('whose key was revoked is not signed in', () => {
    const signedIn = reduceAll({ type: 'credits_changed', userKey: 'svc_sk_1', balance: 5 });
    expect(reduce(signedIn, { type: 'key_changed', userKey: null }).userKey).toBeNull();
  });
});
