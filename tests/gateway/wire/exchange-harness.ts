import { CLIENT_PROTOCOLS } from '@/server/gateway/protocols/client-protocols';
import { writeExactly } from '@/server/gateway/protocols/exact-numbers';
import { likelyOutputTokens, NO_DOCUMENTS } from '@/server/gateway/protocols/measure-size';
import { type Json, NO_TOKENS, type TokenUsage } from '@/server/gateway/protocols/neutral';
import type { Exchange, ExchangeOptions } from '@/server/gateway/providers/exchange';
import { prepareExchange } from '@/server/gateway/providers/prepare-exchange';
import { type ProviderProfile, profileOf } from '@/server/gateway/providers/profiles';
import type { StreamFacts } from '@/server/gateway/providers/stream-relay';

type Format = keyof typeof CLIENT_PROTOCOLS;

/** Translates a request of one of our formats for a provider; ids count up. */
export function exchange(
  format: Format,
  json: Json,
  options: Partial<Omit<ExchangeOptions, 'client' | 'provider'>> & { provider?: string } = {},
): Exchange {
  let count = 0;
  const { provider = 'generic', ...rest } = options;
  const protocol = CLIENT_PROTOCOLS[format];
  const profile = profileOf(provider);
  return prepareExchange({
    client: protocol.validate(json),
    provider: profile,
    upstreamModel: 'upstream-model',
    requestedModel: 'some/model',
    outputCap: 1_000,
    clientHeaders: {},
    newId: () => `id${++count}`,
    created: 1_700_000_000,
    estimate: (outputBytes) => estimate(json, format, profile, outputBytes),
    ...rest,
  });
}

/** As the use case does, for a request without media. */
function estimate(
  json: Json,
  format: Format,
  { format: kind }: ProviderProfile,
  outputBytes: number,
): TokenUsage {
  const protocol = CLIENT_PROTOCOLS[format];
  const { sizeOf } = protocol.measure(protocol.validate(json));
  const { likelyInputTokens } = sizeOf(kind, NO_DOCUMENTS);
  return { ...NO_TOKENS, input: likelyInputTokens, output: likelyOutputTokens(outputBytes, kind) };
}

export const CHAT: Json = { model: 'some/model', messages: [{ role: 'user', content: 'Hi' }] };
export const MESSAGES: Json = { ...CHAT, max_tokens: 1_000 };

/** The body as the provider receives it. */
export function sent({ body }: Exchange): Json {
  return JSON.parse(writeExactly(body));
}

/** The parameter that a refusal names, and its message. */
export function refusalOf(work: () => unknown): { code: string; param: string | null; message: string } {
  try {
    work();
  } catch (error) {
    const { code, param, message } = error as { code: string; param: string | null; message: string };
    if (typeof code !== 'string') throw error;
    return { code, param, message };
  }
  throw new Error('nothing was refused');
}

export type Framing = { lineEnd?: string; done?: boolean; names?: boolean; lastBlankLine?: boolean };

/** Payloads as a provider's event stream. */
export function frameEvents(
  payloads: readonly (string | Json)[],
  { lineEnd = '\n', done = false, names = false, lastBlankLine = true }: Framing = {},
): Uint8Array {
  const lines = payloads.map((payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload)));
  const frames = lines.map((line) => {
    const name = names ? `event: ${JSON.parse(line).type}${lineEnd}` : '';
    return `${name}data: ${line}${lineEnd}${lineEnd}`;
  });
  const text = frames.join('') + (done ? `data: [DONE]${lineEnd}${lineEnd}` : '');
  return new TextEncoder().encode(lastBlankLine ? text : text.trimEnd());
}

export type Relayed = { text: string; closing: string; facts: StreamFacts };

/** Sends bytes through a relay, split at the given places. */
export function relay({ openStream }: Exchange, bytes: Uint8Array, splits: readonly number[] = []): Relayed {
  const stream = openStream();
  let text = '';
  let from = 0;
  for (const to of [...splits, bytes.length].sort((a, b) => a - b)) {
    text += stream.push(bytes.subarray(from, to));
    from = to;
  }
  const rest = stream.end();
  const closing = stream.facts.failure === null ? rest + stream.finish(null) : rest;
  return { text: text + closing, closing, facts: { ...stream.facts } };
}

/** The data of the events that a client receives. */
export function eventsOf(text: string): Json[] {
  return text.split('\n\n').flatMap((frame) => {
    const data = frame.split('\n').find((line) => line.startsWith('data: '));
    return data === undefined || data === 'data: [DONE]' ? [] : [JSON.parse(data.slice(6))];
  });
}
