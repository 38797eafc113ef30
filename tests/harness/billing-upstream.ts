import type { ServerResponse } from 'node:http';
import { afterAll } from 'vitest';
import { listenOnLoopback, readBody } from '@/sandbox/loopback-server';
import { type Json, NO_TOKENS, type TokenUsage } from '@/server/gateway/protocols/neutral';

/** What the provider produces for a request. A piece of text is one token. */
export type Answer = {
  inputTokens: number;
  /** Billed as output, and never shown. */
  reasoningTokens: number;
  /** Sent at once; the rest follows when the test calls `proceed`. */
  first: string[];
  rest: string[];
  /** Reports usage at the end. */
  reportsUsage?: boolean;
  /** Breaks the connection, after the status 200, instead of sending the rest. */
  breaks?: boolean;
  /** Responds with an error instead: status 500, or an event of a stream. */
  fails?: boolean;
  /** Begins a stream when the test calls `proceed`, and sends nothing more until the connection is closed. */
  stalls?: boolean;
  /** Responds with status 403 instead, when the test calls `proceed`. */
  refuses?: string;
};

export type BillingCall = {
  body: Json;
  /** Sends the rest of the response. */
  proceed: () => void;
  /** What the provider bills for everything that it produced so far. */
  bill: () => TokenUsage;
  /** Resolves when the connection ends: whether it was closed before the response was complete. */
  wasCancelled: Promise<boolean>;
};

export type BillingUpstream = {
  url: string;
  /** Sets the response to all following requests. */
  answer: (answer: Answer) => void;
  /** Every request so far, oldest first. */
  calls: BillingCall[];
  /** Resolves with the next request. */
  nextCall: () => Promise<BillingCall>;
};

/**
 * A provider of either format that bills honestly, by the tokens that it produced, seen or not, and reports
 * what it bills only at the end of a response. As the real ones do, the messages format reports its input at
 * the start, and Google includes reasoning only in the total.
 */
export async function startBillingUpstream(): Promise<BillingUpstream> {
  let answer: Answer = { inputTokens: 1, reasoningTokens: 0, first: [], rest: [] };
  let announce: (call: BillingCall) => void = () => {};
  const calls: BillingCall[] = [];

  const server = await listenOnLoopback(async (request, response) => {
    const body = JSON.parse(await readBody(request)) as Json;
    const writer = request.url?.endsWith('/messages') ? writeMessages : writeChat;
    const { first, rest, inputTokens, reasoningTokens, reportsUsage = true } = answer;
    const { breaks = false, fails = false, stalls = false, refuses } = answer;
    let visible = 0;
    const bill = () => ({
      ...NO_TOKENS,
      input: inputTokens,
      output: reasoningTokens + visible,
      reasoning: reasoningTokens,
    });
    const wasCancelled = new Promise<boolean>((resolve) =>
      response.once('close', () => resolve(!response.writableFinished)),
    );
    const proceeds = new Promise<void>((proceed) => {
      const call = { body, proceed, bill, wasCancelled };
      calls.push(call);
      announce(call);
    });
    const send = (pieces: string[]) => {
      visible += pieces.length;
      writer.pieces(response, pieces);
    };
    if (refuses !== undefined) {
      await Promise.race([proceeds, wasCancelled]);
      response.writeHead(403).end(JSON.stringify({ code: 'forbidden', error: refuses }));
    } else if (body.stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      if (first.length > 0) writer.start(response, bill());
      if (first.length > 0) send(first);
      await Promise.race([proceeds, wasCancelled]);
      if (breaks) return void response.destroy();
      if (fails) return void response.end(event({ error: { message: 'overloaded', code: 503 } }));
      if (first.length === 0) writer.start(response, bill());
      if (stalls) return void (await wasCancelled);
      send(rest);
      writer.end(response, reportsUsage ? bill() : null);
    } else {
      await Promise.race([proceeds, wasCancelled]);
      if (fails) return void response.writeHead(500).end('{}');
      response.writeHead(200, { 'content-type': 'application/json' });
      if (breaks) return void response.write('{', () => response.destroy());
      visible = first.length + rest.length;
      response.end(JSON.stringify(writer.whole([...first, ...rest].join(''), reportsUsage ? bill() : null)));
    }
  });
  afterAll(() => server.close());
  return {
    url: server.url,
    answer: (next) => {
      answer = next;
    },
    calls,
    nextCall: () =>
      new Promise((resolve) => {
        announce = resolve;
      }),
  };
}

type Writer = {
  start: (response: ServerResponse, usage: TokenUsage) => void;
  pieces: (response: ServerResponse, pieces: string[]) => void;
  end: (response: ServerResponse, usage: TokenUsage | null) => void;
  whole: (text: string, usage: TokenUsage | null) => Json;
};

const event = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (more: Json): string =>
  event({ id: 'x', object: 'chat.completion.chunk', created: 1, ...more });
const delta = (fields: Json, finish: string | null): string =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });

const chatUsage = ({ input, output, reasoning }: TokenUsage): Json => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const writeChat: Writer = {
  start: (response) => response.write(delta({ role: 'assistant', content: '' }, null)),
  pieces: (response, pieces) => response.write(pieces.map((content) => delta({ content }, null)).join('')),
  end: (response, usage) =>
    response.end(
      `${delta({}, 'stop')}${usage === null ? '' : chunk({ choices: [], usage: chatUsage(usage) })}data: [DONE]\n\n`,
    ),
  whole: (content, usage) => ({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...(usage !== null && { usage: chatUsage(usage) }),
  }),
};

const EMPTY_MESSAGE = { id: 'x', type: 'message', role: 'assistant', content: [], stop_reason: null };

const writeMessages: Writer = {
  start: (response, { input }) =>
    response.write(
      event({
        type: 'message_start',
        message: { ...EMPTY_MESSAGE, usage: { input_tokens: input, output_tokens: 1 } },
      }) +
        event({
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'thinking', thinking: '', signature: 's' },
        }) +
        event({ type: 'content_block_stop', index: 0 }) +
        event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
    ),
  pieces: (response, pieces) =>
    response.write(
      pieces
        .map((text) => event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } }))
        .join(''),
    ),
  end: (response, usage) =>
    response.end(
      event({ type: 'content_block_stop', index: 1 }) +
        event({
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          ...(usage !== null && { usage: { output_tokens: usage.output } }),
        }) +
        event({ type: 'message_stop' }),
    ),
  whole: (text, usage) => ({
    ...EMPTY_MESSAGE,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    ...(usage !== null && { usage: { input_tokens: usage.input, output_tokens: usage.output } }),
  }),
};
