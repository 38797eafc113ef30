import type { Picocredits } from '../credits';
import type { ClientRequest } from '../protocols/client-protocol';
import type { TokenUsage } from '../protocols/neutral';
import type { ClientHeaders } from './headers';
import type { ProviderProfile } from './profiles';
import type { StreamRelay } from './stream-relay';

export type ExchangeOptions = {
  client: ClientRequest;
  provider: ProviderProfile;
  /** The model as the provider calls it. */
  upstreamModel: string;
  /** The model as the client asked for it: what every answer is labelled with. */
  requestedModel: string;
  /** Output tokens per answer: what the hold pays for. */
  outputCap: number;
  /** Whether the model thinks before it answers, where the catalogue knows. */
  reasoning?: boolean | undefined;
  /** A keyed hash of the end user (at most 64 characters). Null sends none. */
  userHash?: string | null;
  /** By lower-case name. */
  clientHeaders: ClientHeaders;
  /** Random text for ids, without a prefix. */
  newId: () => string;
  /** Unix time in seconds, for answers that we write. */
  created: number;
  /** Usage by bytes alone: told, and billed, where the provider reports none. */
  estimate: (outputBytes: number) => TokenUsage;
  /** Leaves out earlier thoughts: for one retry after a failure of the kind `reasoning`. */
  withoutReasoning?: boolean;
};

export type WholeAnswer = {
  /** For the client. */
  body: string;
  usage: TokenUsage | null;
  /** The true cost, where the provider reports it. */
  providerCost: Picocredits | null;
  /** Bytes of text, reasoning and tool arguments: the base of an estimate. */
  outputBytes: number;
};

export type Exchange = {
  /** Behind the provider's base URL. */
  path: '/chat/completions' | '/messages';
  /** Without the key. */
  headers: Record<string, string>;
  body: string;
  /** What was dropped or lowered. `readWhole` may add to it. */
  warnings: string[];
  /** The answer with status 200; throws `upstream_error` (or what an embedded error means) when it is none. */
  readWhole(text: string): WholeAnswer;
  /** Once per attempt, with status 200. */
  openStream(): StreamRelay;
};
