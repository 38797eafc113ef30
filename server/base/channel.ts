import { randomUUID } from 'node:crypto';
import { SECOND_MS } from './clock';

/** Questions and answers between two processes or threads of one service. */

/** One end: how it sends, and what emits the messages that it receives. */
export type End = {
  send: (message: object) => void;
  from: { on(event: 'message', listener: (message: Message) => void): unknown };
};

type Message =
  | { ask: string; about: unknown; id: string }
  | { answerTo: string; answer: unknown }
  | Record<never, never>
  | string;

/** Longer than an instance waits for the database. */
const ANSWER_MS = 4 * SECOND_MS;

/** Other messages may pass on the same way, and several channels may share it. */
export class Channel {
  readonly #waiting = new Map<string, (answer: unknown) => void>();

  constructor(
    private readonly end: End,
    answer?: (question: string, about: never) => unknown,
  ) {
    end.from.on('message', async (message) => {
      if (typeof message !== 'object') return;
      if ('answerTo' in message) this.#waiting.get(message.answerTo)?.(message.answer);
      if ('ask' in message && answer)
        end.send({ answerTo: message.id, answer: await answer(message.ask, message.about as never) });
    });
  }

  /** Returns undefined without an answer in time: the other end may have died. */
  ask<Answer>(question: string, about?: unknown, timeoutMs = ANSWER_MS): Promise<Answer | undefined> {
    const id = randomUUID();
    return new Promise<Answer | undefined>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs, undefined);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timeout);
        resolve(answer as Answer);
      });
      this.end.send({ ask: question, about, id });
    }).finally(() => this.#waiting.delete(id));
  }
}
