import type { GenerationRequest, Tool } from './generation-request';
import { hashText, seededRandom } from './seeded-random';
import { chooseStory } from './stories';
import { countPromptTokens, type PromptCache } from './token-usage';

/** The output of a model, independent of the wire format. One token is one piece of text. */
export type Answer = {
  tokens: string[];
  pausesMs: number[];
  toolCall: { name: string; arguments: string } | null;
  finish: 'stop' | 'length' | 'tool';
  usage: Usage | null;
};
export type Usage = { promptTokens: number; cachedTokens: number; completionTokens: number };

export const SPLIT_UTF8_TEXT = 'Grüße aus Zürich, 世界! Une fenêtre, 🌍🚀 und ein Gruß an 日本語.';
const BIG_USAGE_FACTOR = 50;
const BIG_USAGE_MINIMUM = 100_000;

export function composeAnswer(request: GenerationRequest, cache: PromptCache): Answer {
  const toolCall = request.model === 'tool' ? composeToolCall(request) : null;
  const whole = toolCall === null ? splitTokens(chooseText(request)) : [];
  const { tokens, finish } = cutAnswer(whole, request);
  const written = toolCall === null ? tokens : splitTokens(toolCall.arguments);
  return {
    tokens,
    pausesMs: choosePauses(request, tokens.length),
    toolCall,
    finish: toolCall === null ? finish : 'tool',
    usage: measureUsage(request, cache, Math.max(1, written.length)),
  };
}

function chooseText(request: GenerationRequest): string {
  const prompt = lastUserText(request);
  switch (request.model) {
    case 'story':
      return chooseStory(prompt);
    case 'split-utf8':
      return SPLIT_UTF8_TEXT;
    case 'tool':
      return request.tool === null
        ? 'The request has no tools.'
        : `The tool returned: ${request.messages.at(-1)?.text ?? ''}`;
    case 'echo':
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
  const tokens = whole.slice(0, limit);
  const text = tokens.join('');
  const stops = request.stopTexts
    .filter((stop) => stop !== '' && text.includes(stop))
    .map((stop) => text.indexOf(stop));
  if (stops.length > 0) return { tokens: splitTokens(text.slice(0, Math.min(...stops))), finish: 'stop' };
  return { tokens, finish: whole.length > limit ? 'length' : 'stop' };
}

function choosePauses(request: GenerationRequest, count: number): number[] {
  if (request.model !== 'story') return [];
  const random = seededRandom(hashText(lastUserText(request)));
  return Array.from({ length: count }, () => 15 + Math.floor(random() * 46));
}

/** Calls the first tool once; given its result, the model responds with text. */
function composeToolCall(request: GenerationRequest): Answer['toolCall'] {
  const answersResult = request.messages.at(-1)?.role === 'tool';
  if (request.tool === null || answersResult) return null;
  return {
    name: request.tool.name,
    arguments: JSON.stringify(fillSchema(request.tool, lastUserText(request))),
  };
}

function fillSchema(tool: Tool, prompt: string): Record<string, unknown> {
  const schema = tool.schema as
    | { properties?: Record<string, { type?: string; enum?: unknown[] }> }
    | null
    | undefined;
  const examples: Record<string, unknown> = {
    string: prompt,
    number: 1.5,
    integer: 1,
    boolean: true,
    array: [],
    object: {},
  };
  const entries = Object.entries(schema?.properties ?? {});
  return Object.fromEntries(
    entries.map(([name, field]) => [name, field.enum?.[0] ?? examples[field.type ?? 'string'] ?? null]),
  );
}

function measureUsage(
  request: GenerationRequest,
  cache: PromptCache,
  completionTokens: number,
): Usage | null {
  const promptTokens = countPromptTokens(request.messages);
  const cachedTokens = cache.read(request.model, request.messages);
  if (request.model === 'no-usage') return null;
  if (request.model !== 'big-usage') return { promptTokens, cachedTokens, completionTokens };
  const reported = Math.max(BIG_USAGE_MINIMUM, (request.maxTokens ?? 0) * BIG_USAGE_FACTOR);
  return { promptTokens, cachedTokens, completionTokens: reported };
}
