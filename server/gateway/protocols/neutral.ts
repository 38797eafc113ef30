/**
 * The neutral shape between the formats we serve and the formats we call. Only requests between two different
 * formats are converted to it. If both sides use the same format, the body passes through and is only
 * repaired and metered.
 */

/**
 * Tokens in disjoint classes, independent of provider terms. The input of a request is input + cacheRead +
 * cacheWrite5m + cacheWrite1h. Reasoning is a part of output, for information.
 */
export type TokenUsage = {
  input: number;
  cacheRead: number;
  /** Written to a cache that keeps entries for minutes, or for as long as the provider decides. */
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
  /** Web searches that the provider ran. Absent if there were none. */
  searches?: number;
  /** What the price counts in the input besides text tokens; `UnitKind` names it. Absent without any. */
  inputUnits?: number;
  outputUnits?: number;
};

/** What a price may count besides text tokens. */
export const UNIT_KINDS = [
  'audio_token',
  'character',
  'image',
  'image_token',
  'page',
  'query',
  'second',
  'video_token',
] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

/** Resolutions of a video, whose seconds have a price each. */
export const RESOLUTIONS = ['480p', '720p', '1080p'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** How many of them a request has. */
export type Units = { input: number; output: number };

export const NO_UNITS: Units = { input: 0, output: 0 };

/** As a part of usage. */
export const writeUnits = ({ input, output }: Units): Pick<TokenUsage, 'inputUnits' | 'outputUnits'> => ({
  ...(input > 0 && { inputUnits: input }),
  ...(output > 0 && { outputUnits: output }),
});

/** A model, as far as the units of a request depend on it. */
export type UnitModel = {
  provider: string;
  upstreamModel: string;
  contextWindow: number;
  maxOutputTokens: number;
  prices: Readonly<{
    inputUnit?: { kind: UnitKind } | undefined;
    outputUnit?: { kind: UnitKind } | undefined;
  }>;
};

/** What a model makes: conversations, vectors, images and so on. Only those of conversations have an output limit. */
export const MODEL_TYPES = [
  'language',
  'embedding',
  'image',
  'speech',
  'transcription',
  'rerank',
  'moderation',
  'ocr',
  'video',
  'batch',
] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

export const NO_TOKENS: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

export type Pixels = { width: number; height: number };

/** `size` is null where only the provider sees the image. */
export type ShownImage = { size: Pixels | null; isLowDetail: boolean };

/**
 * The media of a request. Their token count depends on the model. `documentTokens` bounds the text on the
 * pages; it is infinite where a document cannot be read.
 */
export type ShownMedia = {
  images: readonly ShownImage[];
  pages: number;
  documentTokens: number;
  /** The most seconds that each recording lasts. */
  recordings: readonly number[];
};

export type Json = Record<string, unknown>;

/** How long the provider may cache the prompt up to a cache breakpoint. */
export type CacheLifetime = '5m' | '1h';
type Cacheable = { cache?: CacheLifetime };
/** The location in the client's request, which an error names. */
type Placed = { place: string };

export type TextPart = Cacheable & { type: 'text'; text: string };
export type ImagePart = Cacheable &
  Placed & {
    type: 'image';
    source: { kind: 'data'; mediaType: string; data: string } | { kind: 'url'; url: string };
    /** Shown smaller, at OpenAI's models. */
    isLowDetail?: boolean;
  };
export type DocumentPart = Cacheable &
  Placed & {
    type: 'document';
    title: string | null;
    source: { kind: 'data'; data: string } | { kind: 'url'; url: string };
  };
export type ToolCallPart = Cacheable & {
  type: 'tool-call';
  id: string;
  name: string;
  input: Json;
  /** Google requires it to be sent back with the call. */
  thoughtSignature?: string;
};
export type ToolResultPart = Cacheable & {
  type: 'tool-result';
  callId: string;
  content: (TextPart | ImagePart | DocumentPart)[];
  isError: boolean;
};
/** `signature` must be sent back with the reasoning, byte for byte, to the provider that produced it. */
export type ReasoningPart = { type: 'reasoning'; text: string; signature: string | null };
export type RedactedReasoningPart = { type: 'redacted-reasoning'; data: string };

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | ToolCallPart
  | ToolResultPart
  | ReasoningPart
  | RedactedReasoningPart;

export type Role = 'system' | 'user' | 'assistant';

/** Tool results are in user turns. The role `system` is for system messages inside the conversation. */
export type Message = { role: Role; parts: Part[] };

export type ToolDefinition = Cacheable & {
  name: string;
  description: string | null;
  schema: Json;
  strict: boolean;
};

export type ToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'any' }
  | { type: 'tool'; name: string }
  /** A web search. */
  | { type: 'search' };

/** A web search that the provider runs. How many are allowed is decided with the hold. */
export type SearchTool = Cacheable &
  Placed & {
    allowedDomains: readonly string[];
    blockedDomains: readonly string[];
    /** The fields that both formats have: `city`, `region`, `country` and `timezone`. */
    location: Json | null;
    /** How much of the results the model reads, where the provider lets the client choose. */
    contextSize: string | null;
    /** How many pages each search finds, where the provider lets the client choose. */
    maxResults: number | null;
  };

export type Effort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export type Reasoning =
  | { type: 'off' }
  | { type: 'effort'; effort: Effort }
  | { type: 'adaptive'; effort: Effort | null }
  | { type: 'budget'; tokens: number };

export type OutputFormat =
  | { type: 'json-object' }
  | { type: 'json-schema'; name: string; schema: Json; strict: boolean };

export type Prompt = {
  /** Instructions before the conversation. */
  system: TextPart[];
  messages: Message[];
  tools: ToolDefinition[];
  search: SearchTool | null;
  toolChoice: ToolChoice | null;
  /** False when the client wants one call at a time. */
  parallelTools: boolean;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  stop: string[];
  outputFormat: OutputFormat | null;
  reasoning: Reasoning | null;
  stream: boolean;
};

export type StopReason = 'end' | 'stop-sequence' | 'tool-use' | 'length' | 'refusal';

/** `span` is where in its text, if the provider reports it; otherwise it cites the whole. */
export type Citation = { url: string; title: string; span?: { start: number; end: number } };

export type FoundPage = { url: string; title: string; age: string | null };

/** A search that the provider ran. `pages` is null if it failed. */
export type SearchPart = { type: 'search'; id: string; query: string; pages: FoundPage[] | null };

export type ResponsePart =
  | { type: 'text'; text: string; citations: Citation[] }
  | { type: 'refusal'; text: string }
  | { type: 'tool-call'; id: string; name: string; json: string; thoughtSignature?: string }
  | SearchPart
  | ReasoningPart
  | RedactedReasoningPart;

export type Finish = {
  reason: StopReason;
  stopSequence: string | null;
  /** Why the model refused. */
  explanation: string | null;
};

/** A complete response: reasoning, text and calls, in this order unless the provider uses another one. */
export type ModelResponse = Finish & { parts: ResponsePart[] };

/**
 * A response in pieces. Text, refusal and reasoning follow one another. Several calls may be open at the same
 * time; `call` distinguishes them and counts from 0 without gaps.
 */
export type StreamEvent =
  | { type: 'start' }
  | { type: 'text-delta'; text: string }
  | { type: 'text-end'; citations: Citation[] }
  | { type: 'refusal-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'reasoning-end'; signature: string | null }
  | { type: 'redacted-reasoning'; data: string }
  | SearchPart
  | { type: 'tool-start'; call: number; id: string; name: string; thoughtSignature?: string }
  | { type: 'tool-delta'; call: number; json: string }
  | { type: 'tool-end'; call: number }
  | ({ type: 'finish' } & Finish)
  | { type: 'ping' };
