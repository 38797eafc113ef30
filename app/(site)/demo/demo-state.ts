import type { Usage } from '../../_requests/call-api';
import { describeProblem, needsCheckout, type Problem } from '../../_requests/describe-problem';

/** What a model made that is no text. */
export type Media = { kind: 'picture' | 'speech'; url: string };

export type ModelResponse = {
  text: string;
  media: Media | null;
  isStreaming: boolean;
  usage: Usage | null;
};

export type DemoState = {
  /** Null while nobody is signed in. */
  userKey: string | null;
  balance: number | null;
  response: ModelResponse | null;
  problem: Problem | null;
};

export type DemoEvent =
  | { type: 'key_changed'; userKey: string | null }
  | { type: 'credits_changed'; userKey: string | null; balance: number }
  | { type: 'balance_read'; balance: number }
  | { type: 'signed_out' }
  | { type: 'request_started' }
  | { type: 'text_received'; text: string }
  | { type: 'media_received'; media: Media }
  | { type: 'usage_read'; usage: Usage | null }
  | { type: 'request_failed'; error: unknown }
  | { type: 'request_ended' };

export const INITIAL_STATE: DemoState = { userKey: null, balance: null, response: null, problem: null };

export function reduce(state: DemoState, event: DemoEvent): DemoState {
  const { response } = state;
  switch (event.type) {
    case 'key_changed':
      return { ...state, userKey: event.userKey };
    case 'credits_changed':
      return { ...state, userKey: event.userKey ?? state.userKey, balance: event.balance, problem: null };
    case 'balance_read':
      return { ...state, balance: event.balance };
    case 'signed_out':
      return { ...state, userKey: null, balance: null };
    case 'request_started':
      return {
        ...state,
        problem: null,
        response: { text: '', media: null, isStreaming: true, usage: null },
      };
    case 'text_received':
      return { ...state, response: response && { ...response, text: response.text + event.text } };
    case 'media_received':
      return { ...state, response: response && { ...response, media: event.media } };
    case 'usage_read':
      return { ...state, response: response && { ...response, usage: event.usage } };
    case 'request_failed':
      return {
        ...state,
        problem: describeProblem(event.error),
        response: needsCheckout(event.error) ? null : response,
      };
    case 'request_ended':
      // Text that arrived before a failure stays; an empty response is removed.
      return {
        ...state,
        response: response?.text || response?.media ? { ...response, isStreaming: false } : null,
      };
  }
}
