import type { ExchangeOptions } from './exchange';
import type { ProviderProfile } from './profiles';

/** What a request must become for one provider. */
export type RequestTarget = {
  profile: ProviderProfile;
  /** The model as the provider calls it. */
  upstreamModel: string;
  /** Output tokens per choice, reasoning included. */
  outputCap: number;
  /** Whether the model thinks before it responds, where our own tables do not say. */
  reasoning?: boolean | undefined;
  /** Identifies the end user. Never what the client sent: providers refuse e-mail addresses and log the rest. */
  userHash: string | null;
  /** Leaves out earlier thoughts, after the provider refused them. */
  withoutReasoning: boolean;
  /** Collects what was dropped or lowered: short, printable, nothing of the user's. */
  warnings: string[];
};

type TargetOptions = Pick<
  ExchangeOptions,
  'provider' | 'upstreamModel' | 'outputCap' | 'reasoning' | 'userHash' | 'withoutReasoning'
>;

export function toTarget(options: TargetOptions): RequestTarget {
  const {
    provider,
    upstreamModel,
    outputCap,
    reasoning,
    userHash = null,
    withoutReasoning = false,
  } = options;
  return { profile: provider, upstreamModel, outputCap, reasoning, userHash, withoutReasoning, warnings: [] };
}
