import type { ServerResponse } from 'node:http';
import { listenOnLoopback, readBody } from '../../sandbox/loopback-server';
import type { Json } from '../../server/gateway/protocols/neutral';
import { countInput, type Vendor } from '../../tests/harness/honest/bill';
import { randomFrom } from '../../tests/harness/random';

/** Providers with a prompt cache, each of which reports usage in its own way. */

type Counts = { input: number; cached: number; output: number };

/** How each counts tokens, and the tokens that its cache holds at least and in steps of. */
type Provider = { vendor: Vendor; least: number; step: number; write: (counts: Counts) => object };

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { vendor: 'openai', least: 1_024, step: 128, write: writeChat(writeDetails) },
  anthropic: { vendor: 'anthropic', least: 1_024, step: 1, write: writeMessage },
  google: { vendor: 'google', least: 2_048, step: 1, write: writeChat(writeDetails) },
  deepseek: { vendor: 'xai', least: 64, step: 64, write: writeChat(writeHits) },
  together: { vendor: 'mistral', least: 16, step: 16, write: writeChat(writeCached) },
};

export type Providers = { url: string; misses: number; close: () => Promise<void> };

/** `missPercent` of the prompts whose beginning is cached are read again as if it was not. */
export async function startProviders({ seed, missPercent }: { seed: number; missPercent: number }) {
  const random = randomFrom(seed);
  const cached = new Map<string, number>();
  const providers: Providers = { url: '', misses: 0, close: async () => {} };
  const server = await listenOnLoopback(async (request, response) => {
    const name = (request.url ?? '').split('/')[1] ?? '';
    const body = JSON.parse(await readBody(request)) as Json;
    const provider = PROVIDERS[name];
    if (provider === undefined) return void response.writeHead(404).end();
    const input = countInput(provider.vendor, String(body.model), body).tokens;
    const key = `${name} ${body.model} ${taskOf(body)}`;
    const found = cached.get(key) ?? 0;
    const isMissed = found > 0 && random() < missPercent / 100;
    if (isMissed) providers.misses++;
    const counts = { input, cached: isMissed ? 0 : found, output: produce(random, body) };
    cached.set(key, input < provider.least ? 0 : input - (input % provider.step));
    send(response, provider.write(counts));
  });
  return Object.assign(providers, { url: server.url, close: server.close });
}

/** The first message of the user names the session. */
const taskOf = ({ messages }: Json): string =>
  JSON.stringify((messages as Json[]).find(({ role }) => role === 'user')?.content).match(/Task \d+/)?.[0] ??
  '';

/** 300 tokens are usual, and one response in twelve writes a file. */
function produce(random: () => number, { max_tokens, max_completion_tokens }: Json): number {
  const usual = 100 + Math.floor(400 * random());
  const wanted = random() < 1 / 12 ? 1_500 + Math.floor(1_500 * random()) : usual;
  return Math.min(wanted, Number(max_tokens ?? max_completion_tokens ?? wanted));
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function writeChat(writeCache: (counts: Counts) => object): Provider['write'] {
  return (counts) => ({
    id: 'chatcmpl-lab',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'lab',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: counts.input,
      completion_tokens: counts.output,
      total_tokens: counts.input + counts.output,
      ...writeCache(counts),
    },
  });
}

function writeDetails({ cached }: Counts): object {
  return { prompt_tokens_details: { cached_tokens: cached } };
}

function writeHits({ input, cached }: Counts): object {
  return { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: input - cached };
}

function writeCached({ cached }: Counts): object {
  return { cached_tokens: cached };
}

function writeMessage({ input, cached, output }: Counts): object {
  return {
    id: 'msg_lab',
    type: 'message',
    role: 'assistant',
    model: 'lab',
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 0,
      cache_creation_input_tokens: input - cached,
      cache_read_input_tokens: cached,
      output_tokens: output,
    },
  };
}
