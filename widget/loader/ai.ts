import {
  createOpenAICompatible,
  type MetadataExtractor,
  type OpenAICompatibleProvider,
} from '@ai-sdk/openai-compatible';

export type SvcSettings = {
  /** Such as `https://YOUR-SERVICE`. */
  service: string;
  /** The user key. Not with a `fetch` of `createSvcFetch()`, which adds it. */
  apiKey?: string;
  fetch?: typeof fetch;
  headers?: Record<string, string>;
};

/** `providerMetadata.svc` of a result. */
export type SvcMetadata = {
  /** What the request was charged, in USD. */
  cost: number;
  /** The same in credits. */
  credits: number;
};

export type SvcAiProvider = OpenAICompatibleProvider<string, string, string, string>;

/** A provider for the Vercel AI SDK: `createSvc({ service, apiKey })('openai/gpt-4.1')`. */
export function createSvc({ service, apiKey, fetch, headers }: SvcSettings): SvcAiProvider {
  return createOpenAICompatible<string, string, string, string>({
    name: 'svc',
    baseURL: new URL('/v1', service).href,
    includeUsage: true,
    supportsStructuredOutputs: true,
    metadataExtractor: COST,
    transformRequestBody: (body) => ({ ...body, usage: { include: true } }),
    ...(apiKey !== undefined && { apiKey }),
    ...(fetch && { fetch }),
    ...(headers && { headers }),
  });
}

type Metadata = { svc: SvcMetadata } | undefined;

const COST: MetadataExtractor = {
  extractMetadata: async ({ parsedBody }) => readCost(parsedBody),
  createStreamExtractor() {
    let found: Metadata;
    return {
      processChunk(chunk) {
        found = readCost(chunk) ?? found;
      },
      buildMetadata: () => found,
    };
  },
};

/** 100 credits are a dollar, and a charge has at most six decimals. */
function readCost(body: unknown): Metadata {
  const cost = (body as { usage?: { cost?: unknown } | null } | null)?.usage?.cost;
  if (typeof cost !== 'number') return undefined;
  return { svc: { cost, credits: Math.round(cost * 1e8) / 1e6 } };
}
