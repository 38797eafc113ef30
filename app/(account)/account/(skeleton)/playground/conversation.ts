import type { Message, Usage } from '@/app/_requests/call-api';
import { ApiRefusal } from '@/app/_requests/call-api';
import { describeProblem, needsCheckout, type Problem } from '@/app/_requests/describe-problem';

/** What the user wrote and the models answered, with what each answer cost. */

export type Turn =
  | { by: 'user'; text: string }
  | { by: 'model'; text: string; model: string; isStreaming: boolean; usage: Usage | null };

export type Conversation = { turns: readonly Turn[]; problem: Problem | null };

export type ConversationEvent =
  | { type: 'sent'; text: string; model: string }
  | { type: 'text_received'; text: string }
  | { type: 'usage_read'; usage: Usage | null }
  | { type: 'failed'; error: unknown }
  | { type: 'ended' }
  | { type: 'cleared' };

export const EMPTY: Conversation = { turns: [], problem: null };

export function reduce(state: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case 'sent':
      return {
        problem: null,
        turns: [
          ...state.turns,
          { by: 'user', text: event.text },
          { by: 'model', text: '', model: event.model, isStreaming: true, usage: null },
        ],
      };
    case 'text_received':
      return changeAnswer(state, ({ text }) => ({ text: text + event.text }));
    case 'usage_read':
      return changeAnswer(state, () => ({ usage: event.usage }));
    case 'failed':
      return { ...state, problem: explain(event.error) };
    case 'ended':
      return withoutEmptyAnswer(changeAnswer(state, () => ({ isStreaming: false })));
    case 'cleared':
      return EMPTY;
  }
}

type Answer = Extract<Turn, { by: 'model' }>;

function changeAnswer(state: Conversation, change: (answer: Answer) => Partial<Answer>): Conversation {
  const last = state.turns.at(-1);
  if (last?.by !== 'model') return state;
  return { ...state, turns: [...state.turns.slice(0, -1), { ...last, ...change(last) }] };
}

/** What was asked in vain is not part of the next request. */
function withoutEmptyAnswer(state: Conversation): Conversation {
  const last = state.turns.at(-1);
  const isEmpty = last?.by === 'model' && last.text === '';
  return isEmpty ? { ...state, turns: state.turns.slice(0, -2) } : state;
}

/** The account has no checkout: the user follows the address in the refusal. */
function explain(error: unknown): Problem {
  const problem = describeProblem(error);
  if (!needsCheckout(error) || !(error instanceof ApiRefusal) || error.actionUrl === null) return problem;
  const isOfApp = error.type !== 'insufficient_credits';
  return {
    text: isOfApp ? 'The playground may not spend more of your credits.' : 'You’re out of credits.',
    link: { href: error.actionUrl, label: isOfApp ? 'Raise its allowance' : 'Buy credits' },
  };
}

export function writeMessages(turns: readonly Turn[], system: string): Message[] {
  const instructions: Message[] = system === '' ? [] : [{ role: 'system', content: system }];
  return [
    ...instructions,
    ...turns.map(({ by, text }): Message => ({ role: by === 'user' ? 'user' : 'assistant', content: text })),
  ];
}

/** In credits. History amounts are negative. */
export const costOf = (turns: readonly Turn[]): number =>
  turns.reduce((sum, turn) => sum + (turn.by === 'model' ? Math.abs(turn.usage?.credits ?? 0) : 0), 0);
