import { expect, test } from 'vitest';
import { ApiRefusal } from '@/app/_requests/call-api';
import {
  type Conversation,
  type ConversationEvent,
  costOf,
  EMPTY,
  reduce,
  writeMessages,
} from './conversation';

const usage = (credits: number) => ({
  request_id: 'req_1',
  credits,
  input_tokens: 3,
  output_tokens: 4,
  commission_credits: 0,
});
const after = (...events: ConversationEvent[]): Conversation => events.reduce(reduce, EMPTY);
const sent = { type: 'sent', text: 'Hello', model: 'a/b' } as const;

test('a conversation sums what its answers cost, and is sent as a whole', () => {
  const { turns } = after(
    sent,
    { type: 'text_received', text: 'Hi' },
    { type: 'text_received', text: '!' },
    { type: 'usage_read', usage: usage(-1.5) },
    { type: 'ended' },
    sent,
    { type: 'text_received', text: 'Again' },
    { type: 'usage_read', usage: usage(-0.25) },
    { type: 'ended' },
  );
  expect(costOf(turns)).toBe(1.75);
  expect(writeMessages(turns, 'Be brief.').map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'system: Be brief.',
    'user: Hello',
    'assistant: Hi!',
    'user: Hello',
    'assistant: Again',
  ]);
});

test('what was asked in vain is not part of the next request, and what arrived before a failure is', () => {
  const error = new ApiRefusal('upstream_error', 'The provider failed');
  expect(after(sent, { type: 'failed', error }, { type: 'ended' })).toEqual({
    turns: [],
    problem: { text: 'The provider failed', link: null },
  });
  const { turns } = after(
    sent,
    { type: 'text_received', text: 'Hi' },
    { type: 'failed', error },
    { type: 'ended' },
  );
  expect(turns.map(({ text }) => text)).toEqual(['Hello', 'Hi']);
});

test('a refusal for lack of credits links to where the user resolves it', () => {
  const refuse = (type: string) =>
    after(sent, { type: 'failed', error: new ApiRefusal(type, 'Not enough', null, 'https://pay/action') })
      .problem?.link;
  expect(refuse('insufficient_credits')).toEqual({ href: 'https://pay/action', label: 'Buy credits' });
  expect(refuse('partner_limit_reached')).toEqual({
    href: 'https://pay/action',
    label: 'Raise its allowance',
  });
});
