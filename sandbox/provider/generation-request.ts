import { z } from 'zod';
import { hear, type SpokenFormat } from './talk';

/** A request of either wire format. */
export type GenerationRequest = {
  model: string;
  messages: Message[];
  maxTokens: number | null;
  stopTexts: string[];
  stream: boolean;
  includeUsage: boolean;
  /** The tools that the model may call. */
  tools: Tool[];
  /** Whether the model searches the web. */
  searchesWeb: boolean;
  /** Several calls in one response. */
  parallelCalls: boolean;
  /** The schema of a JSON response. */
  responseSchema: unknown;
  /** The tokens of recordings in the prompt. */
  heardTokens: number;
  /** The format of the audio of the response; null for text. */
  speaks: SpokenFormat | null;
};
export type Message = { role: string; text: string };
export type Tool = { name: string; schema: unknown };

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  input_audio: z.looseObject({ data: z.string() }).optional(),
});
type Part = z.infer<typeof part>;
const content = z.union([z.string(), z.array(part), z.null()]).optional();
const chosenTool = z.looseObject({ name: z.string() });
const message = z.looseObject({ role: z.string(), content });
const tokenLimit = z.number().int().min(1).nullish();
const stop = z.union([z.string(), z.array(z.string()).max(4)]).nullish();

const chatSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  stop,
  n: z.literal(1, { error: 'this model supports only n = 1' }).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }).optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.looseObject({ function: chosenTool.optional() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  audio: z.looseObject({ voice: z.string(), format: z.enum(['wav', 'pcm16']) }).nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: z.unknown().optional() }).optional(),
    })
    .nullish(),
});

const messagesSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_tokens: z.number().int().min(1),
  system: z.union([z.string(), z.array(part)]).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string(),
        input_schema: z.unknown().optional(),
      }),
    )
    .optional(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'none', 'tool']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  output_config: z
    .looseObject({ format: z.looseObject({ schema: z.unknown().optional() }).optional() })
    .optional(),
});

export type ReadResult =
  | { request: GenerationRequest }
  | { refused: { message: string; param: string | null } };

export function readChatRequest(body: unknown): ReadResult {
  const parsed = chatSchema.safeParse(body);
  if (!parsed.success) return describeRefusal(parsed.error);
  const { data } = parsed;
  const { tool_choice: choice, response_format: format } = data;
  const tools = (data.tools ?? []).flatMap(({ function: called }) =>
    called === undefined ? [] : [{ name: called.name, schema: called.parameters }],
  );
  return {
    request: {
      model: data.model,
      messages: data.messages.map((given) => ({ role: given.role, text: joinText(given.content) })),
      maxTokens: data.max_completion_tokens ?? data.max_tokens ?? null,
      stopTexts: [data.stop ?? []].flat(),
      stream: data.stream ?? false,
      includeUsage: data.stream_options?.include_usage ?? false,
      tools: chooseTools(tools, {
        isOff: choice === 'none',
        name: typeof choice === 'object' ? choice?.function?.name : undefined,
      }),
      searchesWeb: false,
      parallelCalls: data.parallel_tool_calls !== false,
      responseSchema: format?.type === 'json_object' ? ANY_OBJECT : format?.json_schema?.schema,
      heardTokens: data.messages.flatMap(recordingsOf).reduce((sum, { tokens }) => sum + tokens, 0),
      speaks: data.modalities?.includes('audio') === true ? (data.audio?.format ?? 'wav') : null,
    },
  };
}

const ANY_OBJECT = { type: 'object', properties: { answer: { type: 'string' } } };

function chooseTools(tools: Tool[], choice: { isOff: boolean; name: string | undefined }): Tool[] {
  if (choice.isOff) return [];
  return choice.name === undefined ? tools : tools.filter(({ name }) => name === choice.name);
}

export function readMessagesRequest(body: unknown): ReadResult {
  const parsed = messagesSchema.safeParse(body);
  if (!parsed.success) return describeRefusal(parsed.error);
  const { data } = parsed;
  const { tool_choice: choice } = data;
  const offered = data.tools ?? [];
  const tools = offered
    .filter((tool) => !isSearch(tool))
    .map(({ name, input_schema }) => ({ name, schema: input_schema }));
  const system = data.system === undefined ? [] : [{ role: 'system', text: joinText(data.system) }];
  return {
    request: {
      model: data.model,
      messages: [...system, ...data.messages.flatMap(readTurn)],
      maxTokens: data.max_tokens,
      stopTexts: data.stop_sequences ?? [],
      stream: data.stream ?? false,
      includeUsage: true,
      tools: chooseTools(tools, { isOff: choice?.type === 'none', name: choice?.name }),
      searchesWeb: choice?.type !== 'none' && offered.some(isSearch),
      parallelCalls: choice?.disable_parallel_tool_use !== true,
      responseSchema: data.output_config?.format?.schema,
      heardTokens: 0,
      speaks: null,
    },
  };
}

const isSearch = ({ type }: { type?: string | null | undefined }): boolean =>
  type?.startsWith('web_search_') === true;

/** Results of tools are blocks of a user turn; here they are messages of their own, as in the other format. */
function readTurn({ role, content: given }: z.infer<typeof message>): Message[] {
  if (!Array.isArray(given)) return [{ role, text: joinText(given) }];
  const results = given.filter(({ type }) => type === 'tool_result');
  const others = given.filter(({ type }) => type !== 'tool_result');
  return [
    ...results.map((result) => ({ role: 'tool', text: joinText(content.parse(result.content)) })),
    ...(others.length > 0 || results.length === 0 ? [{ role, text: joinText(others) }] : []),
  ];
}

function joinText(given: z.infer<typeof content>): string {
  if (typeof given === 'string') return given;
  return (given ?? []).map((piece) => piece.text ?? heard(piece)?.text ?? '').join('');
}

const heard = ({ input_audio: audio }: Part) => (audio === undefined ? null : hear(audio.data));

const recordingsOf = ({ content: given }: z.infer<typeof message>) =>
  Array.isArray(given) ? given.flatMap((piece) => heard(piece) ?? []) : [];

function describeRefusal(error: z.ZodError): ReadResult {
  const [issue] = error.issues;
  const param = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  return {
    refused: {
      message: `Invalid value${param === null ? '' : ` for '${param}'`}: ${issue?.message ?? 'unreadable'}.`,
      param,
    },
  };
}
