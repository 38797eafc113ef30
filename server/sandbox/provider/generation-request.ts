import { z } from 'zod';

/** A request of either wire format. */
export type GenerationRequest = {
  model: string;
  messages: Message[];
  maxTokens: number | null;
  stopTexts: string[];
  stream: boolean;
  includeUsage: boolean;
  tool: Tool | null;
};
export type Message = { role: string; text: string };
export type Tool = { name: string; schema: unknown };

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part), z.null()]).optional();
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
});

const messagesSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  max_tokens: z.number().int().min(1),
  system: z.union([z.string(), z.array(part)]).optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() })).optional(),
});

export type ReadResult =
  | { request: GenerationRequest }
  | { refused: { message: string; param: string | null } };

export function readChatRequest(body: unknown): ReadResult {
  const parsed = chatSchema.safeParse(body);
  if (!parsed.success) return describeRefusal(parsed.error);
  const { data } = parsed;
  const offered = data.tools?.find((tool) => tool.function !== undefined)?.function;
  return {
    request: {
      model: data.model,
      messages: data.messages.map((given) => ({ role: given.role, text: joinText(given.content) })),
      maxTokens: data.max_completion_tokens ?? data.max_tokens ?? null,
      stopTexts: [data.stop ?? []].flat(),
      stream: data.stream ?? false,
      includeUsage: data.stream_options?.include_usage ?? false,
      tool: offered === undefined ? null : { name: offered.name, schema: offered.parameters },
    },
  };
}

export function readMessagesRequest(body: unknown): ReadResult {
  const parsed = messagesSchema.safeParse(body);
  if (!parsed.success) return describeRefusal(parsed.error);
  const { data } = parsed;
  const offered = data.tools?.[0];
  const system = data.system === undefined ? [] : [{ role: 'system', text: joinText(data.system) }];
  return {
    request: {
      model: data.model,
      messages: [
        ...system,
        ...data.messages.map((given) => ({ role: given.role, text: joinText(given.content) })),
      ],
      maxTokens: data.max_tokens,
      stopTexts: data.stop_sequences ?? [],
      stream: data.stream ?? false,
      includeUsage: true,
      tool: offered === undefined ? null : { name: offered.name, schema: offered.input_schema },
    },
  };
}

function joinText(given: z.infer<typeof content>): string {
  if (typeof given === 'string') return given;
  return (given ?? []).map((piece) => piece.text ?? '').join('');
}

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
