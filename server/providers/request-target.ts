import type { ProviderProfile } from './profiles';

/** What a request becomes on its way to one provider. */
export type RequestTarget = {
  profile: ProviderProfile;
  /** The model as the provider calls it. */
  upstreamModel: string;
  /** Output tokens per answer, reasoning included. */
  outputCap: number;
  /** Whether the model thinks before it answers, where our own tables do not say. */
  reasoning?: boolean | undefined;
  /** Stands for the end user. Never what the client sent: providers refuse e-mail addresses and log the rest. */
  userHash: string | null;
  /** Leaves out what was thought before: after the provider refused it. */
  withoutReasoning: boolean;
  /** Collects what was dropped or lowered: short, printable, nothing of the user's. */
  warnings: string[];
};
