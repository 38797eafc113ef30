import type { ResponseLabels } from '../protocols/client-protocol';
import type { ClientRequest } from '../protocols/client-protocols';
import type { Json, TokenUsage, UnitKind } from '../protocols/neutral';
import type { ResponseFacts } from './metered-usage';
import type { ProviderProfile } from './profiles';
import type { MaxPrice } from './request-target';
import type { StreamRelay } from './stream-relay';

/** Headers of the client that may concern a provider, by lower-case name. */
export type ClientHeaders = Readonly<Record<string, string | undefined>>;

export type ExchangeOptions = ResponseLabels & {
  client: ClientRequest;
  provider: ProviderProfile;
  /** Output tokens per choice that the hold covers. */
  outputCap: number;
  /** Web searches that the hold covers; none by default. */
  searches?: number;
  /** Whether the model reasons before it responds, if the catalogue contains that. */
  reasoning?: boolean | undefined;
  /** What the model counts in the input besides tokens. */
  inputUnit?: UnitKind | undefined;
  /** The prices that the hold was computed with. */
  maxPrice?: MaxPrice | null;
  /** A keyed hash of the end user (at most 64 characters). Null sends none. */
  userHash?: string | null;
  clientHeaders: ClientHeaders;
  /**
   * Estimates usage from bytes, and from the time taken if the model may have hidden output. Reported and billed
   * if the provider reports none.
   */
  estimate: (outputBytes: number, isHidden: boolean) => TokenUsage;
  /** Omits earlier reasoning: for one retry after a failure of the kind `reasoning`. */
  withoutReasoning?: boolean;
};

/** `body` is for the client: JSON, unless `contentType` says otherwise. */
export type WholeResponse = ResponseFacts & { body: string; contentType?: string };

/** One request to one provider, and how to read the response. */
export type Exchange = {
  /** Appended to the provider's base URL. */
  path: string;
  /** Without the key. */
  headers: Record<string, string>;
  /** Written with `writeExactly`, or as a form. */
  body: Json;
  /** The random boundary of a form, which `headers` contains. */
  boundary?: string;
  /** Descriptions of dropped or reduced parameters. `readWhole` may add to them. */
  warnings: string[];
  /** Earlier reasoning was left out of the prompt. */
  isShortened: boolean;
  /** Whether the model may produce output that a stream does not show as it is produced. */
  mayHideOutput(): boolean;
  /** Reads a response with status 200. Throws `upstream_error`, or the error that it contains. */
  readWhole(text: string): WholeResponse;
  /** Once per attempt, with status 200 and the type of the response. */
  openStream(contentType?: string): StreamRelay;
};
