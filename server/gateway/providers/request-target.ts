import type { ExchangeOptions } from './exchange';
import type { ProviderProfile } from './profiles';

/** In USD per million tokens. */
export type MaxPrice = { input: number; output: number };

/** The requirements of one provider for a request. */
export type RequestTarget = {
  profile: ProviderProfile;
  /** The model as the provider calls it. */
  upstreamModel: string;
  /** Output tokens per choice, reasoning included. */
  outputCap: number;
  /** Web searches that the hold covers; 0 if the provider runs none. */
  searches: number;
  /** Whether the model reasons before it responds, if our own tables do not contain it. */
  reasoning?: boolean | undefined;
  /** The prices that the hold was computed with. Null when they are unknown. */
  maxPrice: MaxPrice | null;
  /**
   * Identifies the end user. Never the value that the client sent: providers reject e-mail addresses and log
   * other values.
   */
  userHash: string | null;
  /** Omits earlier reasoning, after the provider rejected it. */
  withoutReasoning: boolean;
  /** Set once earlier reasoning is left out, which another request with the same messages may contain. */
  isShortened: boolean;
  /** Collects descriptions of dropped or reduced parameters: short, printable, without user content. */
  warnings: string[];
};

type TargetOptions = Pick<
  ExchangeOptions,
  | 'provider'
  | 'upstreamModel'
  | 'outputCap'
  | 'searches'
  | 'reasoning'
  | 'maxPrice'
  | 'userHash'
  | 'withoutReasoning'
>;

export function toTarget(options: TargetOptions): RequestTarget {
  const {
    provider,
    upstreamModel,
    outputCap,
    searches = 0,
    reasoning,
    maxPrice = null,
    userHash = null,
    withoutReasoning = false,
  } = options;
  return {
    profile: provider,
    upstreamModel,
    outputCap,
    searches,
    reasoning,
    maxPrice,
    userHash,
    withoutReasoning,
    isShortened: withoutReasoning,
    warnings: [],
  };
}
