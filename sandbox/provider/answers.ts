import { fillSchema, isObject } from './fill-schema';
import type { GenerationRequest } from './generation-request';
import { hashText, seededRandom } from './seeded-random';
import { chooseStory } from './stories';
import { fitSpeech, spokenTokens } from './talk';
import { countPromptTokens, type PromptCache } from './token-usage';

/** The output of a model, independent of the wire format. One token is one piece of text. */
export type Answer = {
  tokens: string[];
  pausesMs: number[];
  toolCalls: { name: string; arguments: string }[];
  /** The web search before the text. */
  search: Search | null;
  finish: 'stop' | 'length' | 'tool';
  usage: Usage | null;
};
export type Search = { query: string; results: { title: string; url: string }[] };
/** With the tokens of audio. */
export type Usage = {
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  heardTokens: number;
  spokenTokens: number;
};

export const SPLIT_UTF8_TEXT = 'Grüße aus Zürich, 世界! Une fenêtre, 🌍🚀 und ein Gruß an 日本語.';
const BIG_USAGE_FACTOR = 50;
const BIG_USAGE_MINIMUM = 100_000;

export function composeAnswer(request: GenerationRequest, cache: PromptCache): Answer {
  const toolCalls = request.model === 'tool' ? composeToolCalls(request) : [];
  const isCall = toolCalls.length > 0;
  const whole = isCall ? [] : splitTokens(chooseText(request));
  const { tokens, finish } = cutAnswer(whole, request);
  const written = isCall ? toolCalls.flatMap((call) => splitTokens(call.arguments)) : tokens;
  return {
    tokens,
    pausesMs: choosePauses(request, tokens.length),
    toolCalls,
    search: request.searchesWeb ? searchWeb(lastUserText(request)) : null,
    finish: isCall ? 'tool' : finish,
    usage: measureUsage(request, cache, Math.max(1, written.length), tokens.join('')),
  };
}

function chooseText(request: GenerationRequest): string {
  const prompt = lastUserText(request);
  if (isObject(request.responseSchema) && FILLS_SCHEMAS.has(request.model))
    return JSON.stringify(fillSchema(request.responseSchema, prompt));
  switch (request.model) {
    case 'story':
      return chooseStory(prompt);
    case 'split-utf8':
      return SPLIT_UTF8_TEXT;
    case 'tool':
      return findResults(request).length === 0
        ? 'The request has no tools.'
        : `The tool returned: ${findResults(request).join(' ')}`;
    case 'echo':
    case 'talk':
      return prompt;
    default:
      // The failure models need a few tokens so that they can fail midway.
      return `${prompt} One two three four five six seven eight.`;
  }
}

function lastUserText(request: GenerationRequest): string {
  return request.messages.findLast((message) => message.role === 'user')?.text ?? '';
}

/** Words with the space before them; long words are split, so a long text is never one token. */
function splitTokens(text: string): string[] {
  return text.match(/\s*\S{1,12}|\s+/gu) ?? [];
}

function cutAnswer(
  whole: string[],
  request: GenerationRequest,
): { tokens: string[]; finish: 'stop' | 'length' } {
  const limit = request.maxTokens ?? Number.POSITIVE_INFINITY;
  const tokens = request.speaks === null ? whole.slice(0, limit) : fitSpeech(whole, limit);
  const text = tokens.join('');
  const stops = request.stopTexts
    .filter((stop) => stop !== '' && text.includes(stop))
    .map((stop) => text.indexOf(stop));
  if (stops.length > 0) return { tokens: splitTokens(text.slice(0, Math.min(...stops))), finish: 'stop' };
  return { tokens, finish: whole.length > tokens.length ? 'length' : 'stop' };
}

function choosePauses(request: GenerationRequest, count: number): number[] {
  if (request.model !== 'story') return [];
  const random = seededRandom(hashText(lastUserText(request)));
  return Array.from({ length: count }, () => 15 + Math.floor(random() * 46));
}

const MAX_QUERY = 100;

/** Pages that do not exist. */
const searchWeb = (prompt: string): Search => ({
  query: prompt.slice(0, MAX_QUERY),
  results: ['First', 'Second'].map((name) => ({
    title: `${name} page of the sandbox`,
    url: `https://example.com/${name.toLowerCase()}`,
  })),
});

const FILLS_SCHEMAS = new Set(['echo', 'story', 'tool']);
const MAX_CALLS = 2;

/** Calls the first two tools once; given their results, the model responds with text. */
function composeToolCalls(request: GenerationRequest): Answer['toolCalls'] {
  if (findResults(request).length > 0) return [];
  const prompt = lastUserText(request);
  return request.tools.slice(0, request.parallelCalls ? MAX_CALLS : 1).map(({ name, schema }) => ({
    name,
    arguments: JSON.stringify(isObject(schema) ? fillSchema(schema, prompt) : {}),
  }));
}

/** The results of tools that the assistant has not answered yet. */
function findResults({ messages }: GenerationRequest): string[] {
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(answered + 1).flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
}

function measureUsage(
  request: GenerationRequest,
  cache: PromptCache,
  completionTokens: number,
  text: string,
): Usage | null {
  const { heardTokens } = request;
  const spoken = request.speaks === null ? 0 : spokenTokens(text);
  const audio = { heardTokens, spokenTokens: spoken };
  const promptTokens = countPromptTokens(request.messages) + heardTokens;
  const cachedTokens = cache.read(request.model, request.messages);
  if (request.model === 'no-usage') return null;
  if (request.model !== 'big-usage')
    return { promptTokens, cachedTokens, completionTokens: completionTokens + spoken, ...audio };
  const reported = Math.max(BIG_USAGE_MINIMUM, (request.maxTokens ?? 0) * BIG_USAGE_FACTOR);
  return { promptTokens, cachedTokens, completionTokens: reported, ...audio };
}
