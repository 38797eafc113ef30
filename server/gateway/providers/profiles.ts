import type { Picocredits } from '../../base/credits';
import type { WireFormatName } from '../../base/endpoints';
import type { Effort } from '../protocols/neutral';

/** An effort as a provider's API names it; `none` switches thinking off. */
export type EffortName = Effort | 'none';

/**
 * The differences between a provider and others of its format, as facts that one translation reads for all.
 * Facts about single models are in `claude-capabilities.ts` and `chat-capabilities.ts`.
 */
export type ProviderProfile = {
  name: string;
  format: WireFormatName;
  /** Whether tokens of audio in conversations have a price of their own: with models of audio. */
  countsAudio: boolean;
  /**
   * The tier that is always requested, because another one could cost more. Null when the provider does not
   * know the field.
   */
  serviceTier: string | null;
  /** The field that carries a hash of the end user. */
  userField: 'safety_identifier' | 'user' | 'metadata' | null;
  toolIds: 'up-to-64' | 'nine-alphanumeric';
  /** Serves the responses format, at `/responses`. */
  takesResponses: boolean;
  /** Accepts the output limit under its newer name as well. */
  takesMaxCompletionTokens: boolean;
  takesTopK: boolean;
  takesParallelToolCalls: boolean;
  takesJsonSchema: boolean;
  /** Accepts system messages after the first turn. */
  takesLaterSystem: boolean;
  takesImageUrls: boolean;
  takesPdf: boolean;
  /** Rejects consecutive turns of one role. */
  strictAlternation: boolean;
  /** Rejects `$schema` and similar keywords in the schema of a tool. */
  strictSchemas: boolean;
  maxStopSequences: number;
  /** Efforts of models without an entry of their own. Null when the field is unknown to the provider. */
  efforts: readonly EffortName[] | null;
  /** Requires that its reasoning is sent back, as `reasoning_content` of the assistant turn. */
  wantsReasoningBack: boolean;
  /** Accepts reasoning fields in the history; others reject unknown fields. */
  takesThoughts: boolean;
  /** Accepts OpenRouter's own fields: `reasoning`, and cache breakpoints in Anthropic's form. */
  takesRouterFields: boolean;
  /** Chooses between providers with different prices, up to a price that the request sets. */
  takesMaxPrice: boolean;
  /** What the provider bills for a request whose content it refuses. */
  refusalFee: Picocredits;
  /** Requires that the signature of a thought is sent back with the call that followed it. */
  wantsThoughtSignatures: boolean;
  /** Does not include reasoning in its completion tokens. */
  reasoningOutsideOutput: boolean;
  /** Reports the actual cost in its usage: in dollars, or in ticks of 10⁻¹⁰ dollars. */
  reportsCost: 'dollars' | 'ticks' | null;
  /**
   * Stops generating a stream, and billing it, when the connection is closed. False where this is unknown.
   * Source: OpenRouter's "Stream cancellation", November 2026, which names providers of either kind.
   */
  cancelEndsBill: boolean;
  /** No model writes more output tokens in a second: the base of an estimate of output that nobody saw. */
  maxTokensPerSecond: number;
  /** How it searches the web; null if it does not. The price is in the catalogue. */
  webSearch: WebSearch | null;
  /** Its fields of an embeddings request. */
  embeddings: { dimensionsField: string; takesEncoding: boolean; takesUser: boolean };
  /** Its fields of a rerank request. With a limit of tokens, it returns no documents. */
  rerank: { limitField: 'top_n' | 'top_k'; takesTokenLimit: boolean };
  /** How the shape of an image is chosen: as OpenAI has it, or by an aspect ratio, at Google in its own format. */
  images: 'sizes' | 'aspect-ratios' | 'google';
  /** How it makes videos, and the hosts that have them, besides its API; null if it makes none in a format that we call. */
  videos: { api: 'xai' | 'google'; hosts: readonly string[] } | null;
  /** Whose fields and response formats its transcripts have. */
  transcription: 'openai' | 'groq' | 'mistral';
  /** The models that translate recordings into English. */
  translates: RegExp;
  /** Request fields of this provider that cost extra, switch models or access our account. */
  deniedFields: readonly string[];
};

/** What bounds the tokens of a request that searches the web. */
export type WebSearch = {
  /** How often the model reads the prompt at most, and with it the results and its own output so far. */
  readings: (searches: number) => number;
  /** The most tokens of the results. */
  resultTokens: (searches: number) => number;
  /** The search is a tool of OpenRouter in the chat format. */
  isRouterTool?: boolean;
};

/**
 * Anthropic pauses a turn after ten readings, some of which may follow a refused search. The size of results is not
 * documented. Ten results, which is the most, had 11,600 tokens of Claude Sonnet 4; the tokens of later models are
 * up to a third smaller.
 */
const ANTHROPIC_SEARCH: WebSearch = {
  readings: () => 10,
  resultTokens: (searches) => 25_000 * searches,
};

/**
 * `max_tool_calls` counts every call, and OpenAI ignores further ones. All results share a context of 128,000 tokens.
 * Source: OpenAI's guides, "Web search" and "Responses", 2026.
 */
const OPENAI_SEARCH: WebSearch = {
  readings: (searches) => searches + 2,
  resultTokens: () => 128_000,
};

/**
 * `max_tool_calls` limits the calls, after which the model writes its response. Requests limit the results of a search
 * to 15,000 characters (`router-search.ts`). A token has at least a byte, and few characters have more than three.
 * Source: OpenRouter's guides, "Web Search" and "Server Tools", November 2026.
 */
const OPENROUTER_SEARCH: WebSearch = {
  readings: (searches) => searches + 2,
  resultTokens: (searches) => 45_000 * searches,
  isRouterTool: true,
};

const NO_FEE = 0n as Picocredits;
/** $0.05. Source: docs.x.ai, "Usage Guidelines Violation Fee". */
const XAI_REFUSAL_FEE = 5_000_000_000_000n as Picocredits;

const ALL_EFFORTS: readonly EffortName[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const PLAIN_EMBEDDINGS = { dimensionsField: 'dimensions', takesEncoding: false, takesUser: false };
const OPENAI_EMBEDDINGS = { dimensionsField: 'dimensions', takesEncoding: true, takesUser: true };

const PLAIN_RERANK: ProviderProfile['rerank'] = { limitField: 'top_n', takesTokenLimit: false };
const COHERE_RERANK: ProviderProfile['rerank'] = { limitField: 'top_n', takesTokenLimit: true };

/** Any server that uses the OpenAI format, such as vLLM or Ollama. */
const GENERIC: ProviderProfile = {
  name: 'generic',
  format: 'openai',
  countsAudio: false,
  serviceTier: null,
  userField: null,
  toolIds: 'up-to-64',
  takesResponses: false,
  takesMaxCompletionTokens: false,
  takesTopK: true,
  takesParallelToolCalls: true,
  takesJsonSchema: true,
  takesLaterSystem: true,
  takesImageUrls: true,
  takesPdf: false,
  strictAlternation: false,
  strictSchemas: false,
  maxStopSequences: 4,
  efforts: null,
  wantsReasoningBack: false,
  takesThoughts: true,
  takesRouterFields: true,
  takesMaxPrice: false,
  refusalFee: NO_FEE,
  wantsThoughtSignatures: false,
  reasoningOutsideOutput: false,
  reportsCost: null,
  cancelEndsBill: false,
  maxTokensPerSecond: 500,
  webSearch: null,
  embeddings: PLAIN_EMBEDDINGS,
  rerank: PLAIN_RERANK,
  images: 'sizes',
  videos: null,
  transcription: 'openai',
  translates: /(?!)/,
  deniedFields: [],
};

/** A vendor accepts only the fields of its own API. */
const VENDOR: ProviderProfile = { ...GENERIC, takesRouterFields: false };

const GENERIC_ANTHROPIC: ProviderProfile = {
  ...GENERIC,
  name: 'generic-anthropic',
  format: 'anthropic',
  userField: 'metadata',
  takesPdf: true,
  maxStopSequences: Number.MAX_SAFE_INTEGER,
  efforts: ALL_EFFORTS,
};

/** A generic provider of each format. */
const PLAIN: Record<WireFormatName, ProviderProfile> = { openai: GENERIC, anthropic: GENERIC_ANTHROPIC };

const DIFFERENCES: Record<string, Partial<ProviderProfile>> = {
  openai: {
    takesResponses: true,
    takesMaxCompletionTokens: true,
    serviceTier: 'default',
    takesThoughts: false,
    userField: 'safety_identifier',
    takesTopK: false,
    takesPdf: true,
    efforts: ['low', 'medium', 'high'],
    cancelEndsBill: true,
    webSearch: OPENAI_SEARCH,
    embeddings: OPENAI_EMBEDDINGS,
    translates: /^whisper-1$/,
    deniedFields: ['moderation'],
  },
  // Counts thinking only in the total, and requires thought signatures back with calls.
  google: {
    takesMaxCompletionTokens: true,
    takesTopK: false,
    takesParallelToolCalls: false,
    takesImageUrls: false,
    strictSchemas: true,
    wantsThoughtSignatures: true,
    efforts: ['none', 'minimal', 'low', 'medium', 'high'],
    images: 'google',
    videos: { api: 'google', hosts: [] },
    deniedFields: ['cached_content'],
  },
  xai: {
    takesMaxCompletionTokens: true,
    takesTopK: false,
    efforts: ['low', 'high'],
    userField: 'user',
    reasoningOutsideOutput: true,
    reportsCost: 'ticks',
    cancelEndsBill: true,
    refusalFee: XAI_REFUSAL_FEE,
    images: 'aspect-ratios',
    videos: { api: 'xai', hosts: ['vidgen.x.ai'] },
    deniedFields: ['search_parameters', 'deferred'],
  },
  mistral: {
    toolIds: 'nine-alphanumeric',
    takesTopK: false,
    takesLaterSystem: false,
    strictAlternation: true,
    embeddings: { ...PLAIN_EMBEDDINGS, dimensionsField: 'output_dimension' },
    transcription: 'mistral',
    deniedFields: ['agent_id', 'prompt_mode'],
  },
  deepseek: {
    takesTopK: false,
    takesParallelToolCalls: false,
    takesJsonSchema: false,
    takesImageUrls: false,
    wantsReasoningBack: true,
    cancelEndsBill: true,
    maxStopSequences: 16,
  },
  groq: {
    takesMaxCompletionTokens: true,
    takesTopK: false,
    userField: 'user',
    efforts: ['low', 'medium', 'high'],
    maxTokensPerSecond: 1_500,
    transcription: 'groq',
    translates: /^whisper-large-v3$/,
    deniedFields: ['compound_custom', 'search_settings'],
  },
  together: { efforts: ['low', 'medium', 'high'] },
  fireworks: { userField: 'user', efforts: ['none', 'low', 'medium', 'high'], cancelEndsBill: true },
  openrouter: {
    takesMaxCompletionTokens: true,
    userField: 'user',
    takesPdf: true,
    efforts: ALL_EFFORTS,
    takesRouterFields: true,
    takesMaxPrice: true,
    reportsCost: 'dollars',
    webSearch: OPENROUTER_SEARCH,
    deniedFields: ['models', 'route', 'plugins', 'provider', 'preset', 'transforms'],
  },
  moonshot: {
    takesTopK: false,
    takesJsonSchema: false,
    takesImageUrls: false,
    wantsReasoningBack: true,
    maxStopSequences: 5,
    deniedFields: ['partial_context'],
  },
  cohere: { rerank: COHERE_RERANK },
  voyage: { rerank: { ...PLAIN_RERANK, limitField: 'top_k' } },
  jina: {},
  sandbox: {
    takesMaxCompletionTokens: true,
    takesPdf: true,
    efforts: ALL_EFFORTS,
    cancelEndsBill: true,
    embeddings: OPENAI_EMBEDDINGS,
    videos: { api: 'xai', hosts: [] },
    rerank: COHERE_RERANK,
    translates: /^listen(?:-error-500)?$/,
  },
};

const ANTHROPIC_DIFFERENCES: Record<string, Partial<ProviderProfile>> = {
  anthropic: { serviceTier: 'standard_only', cancelEndsBill: true, webSearch: ANTHROPIC_SEARCH },
  'sandbox-anthropic': { cancelEndsBill: true, webSearch: ANTHROPIC_SEARCH },
};

const profiles = new Map<string, ProviderProfile>([
  ...Object.entries(DIFFERENCES).map(([name, own]) => [name, { ...VENDOR, ...own, name }] as const),
  ...Object.entries(ANTHROPIC_DIFFERENCES).map(
    ([name, own]) => [name, { ...GENERIC_ANTHROPIC, ...own, name }] as const,
  ),
]);

/** Returns the profile of a provider; for an unknown name, that of a generic server of the format. */
export function profileOf(name: string, format: WireFormatName = 'openai'): ProviderProfile {
  return profiles.get(name) ?? { ...PLAIN[format], name };
}

export function knownProviders(): ProviderProfile[] {
  return [...profiles.values()];
}
