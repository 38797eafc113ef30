import { expect, test } from 'vitest';
import {
  FROM_CHECKOUT,
  isMetadata,
  openChannel,
  readMessage,
  WINDOW_MESSAGES,
  writeMessage,
} from './contract';

const opened = { v: 1, t: 'checkout_opened', session_id: 'cks_1', checkout_url: null };

test('a well-formed message is read, with its known fields only', () => {
  expect(readMessage(FROM_CHECKOUT, { ...opened, email: 'a@example.com' })).toEqual({
    t: 'checkout_opened',
    session_id: 'cks_1',
    checkout_url: null,
  });
});

test.each([
  ['nothing', undefined],
  ['a text', 'checkout_opened'],
  ['a list', [opened]],
  ['another version', { ...opened, v: 2 }],
  ['an unknown type', { ...opened, t: 'give_me_the_key' }],
  ['a type of the prototype', { ...opened, t: 'constructor' }],
  ['a field too few', { v: 1, t: 'checkout_opened', checkout_url: null }],
  ['a field of another kind', { ...opened, session_id: 7 }],
  ['an empty field', { ...opened, session_id: '' }],
  ['a field too long', { ...opened, session_id: 'x'.repeat(81) }],
  [
    'a number that is none',
    { v: 1, t: 'credits_added', type: 'purchase', balance: Number.NaN, credits_added: 1 },
  ],
  ['a choice that does not exist', { v: 1, t: 'credits_added', type: 'gift', balance: 1, credits_added: 1 }],
])('%s is dropped', (_, data) => {
  expect(readMessage(FROM_CHECKOUT, data)).toBeNull();
});

test('a hello contains nothing but the ids of the visit and the document', () => {
  expect(Object.keys(WINDOW_MESSAGES.hello)).toEqual(['rid', 'document', 'page']);
});

test('metadata is flat and short', () => {
  expect(isMetadata({ team: 'blue', seats: 3, trial: false })).toBe(true);
  for (const wrong of [null, [], 'x', { a: null }, { a: {} }, { a: Number.NaN }, { a: 'x'.repeat(500) }])
    expect(isMetadata(wrong)).toBe(false);
});

test('a channel accepts messages in order, each once', async () => {
  const { port1, port2 } = new MessageChannel();
  const received: string[] = [];
  const channel = openChannel(port1, FROM_CHECKOUT, ({ t }) => received.push(t));
  const send = (t: string, n: unknown) => port2.postMessage({ ...writeMessage({ t }), n });
  send('ready', 1);
  send('close', 1);
  send('forget_key', 3);
  send('logged_out', 2);
  send('close', 'four');
  send('close', 4);
  await expect.poll(() => received).toEqual(['ready', 'forget_key', 'close']);
  channel.close();
});
