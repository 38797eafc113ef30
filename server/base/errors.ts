/** Every API error code with its HTTP status. The compiler finds each place that must handle a new one. */
export const ERROR_STATUS = {
  invalid_request: 400,
  content_refused: 400,
  invalid_code: 400,
  code_expired: 400,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  missing_api_key: 401,
  invalid_user_key: 401,
  invalid_publishable_key: 401,
  invalid_client: 401,
  invalid_signature: 401,
  invalid_signing_secret: 401,
  insufficient_credits: 402,
  partner_not_permitted: 402,
  partner_limit_reached: 402,
  model_not_allowed: 403,
  origin_not_allowed: 403,
  partner_disabled: 403,
  key_restricted: 403,
  paused_for_review: 403,
  purchases_blocked: 403,
  step_up_required: 403,
  passkey_required: 403,
  model_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_conflict: 409,
  already_charged: 409,
  request_too_large: 413,
  url_too_long: 414,
  unsupported_encoding: 415,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  upstream_error: 502,
  overloaded: 503,
  payments_unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Statuses that client libraries must not retry on their own, unless `Retry-After` is set: a retry cannot succeed. */
export const FINAL_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 409, 415, 502]);

export type ErrorDetails = {
  /** The offending field, as the caller names it. */
  param?: string;
  /** Whole seconds, at least 1: sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Methods, sent as `Allow`. */
  allow?: readonly string[];
  /** Scheme of authentication, sent as `WWW-Authenticate`. */
  challenge?: string;
  /** What a client library reads to continue in another way. Sent in the messages format only. */
  details?: Readonly<Record<string, unknown>>;
  /** Where the user can resolve the error themselves. */
  actionUrl?: string;
  /** Logged, never sent. */
  cause?: unknown;
};

/** A request that cannot continue. `message` is public; `cause` is only logged. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: ErrorDetails['allow'];
  readonly challenge: string | undefined;
  readonly details: ErrorDetails['details'];
  readonly actionUrl: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.allow = details.allow;
    this.challenge = details.challenge;
    this.details = details.details;
    this.actionUrl = details.actionUrl;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** The service has reached its capacity. */
export function overloaded(cause?: unknown): ApiError {
  return new ApiError('overloaded', 'The service is busy. Please retry.', { retryAfterSeconds: 1, cause });
}

/** The instance stops before the response is complete. */
export function stopping(): ApiError {
  return new ApiError('overloaded', 'The service is restarting. Please retry.', { retryAfterSeconds: 1 });
}

/** Asserts what must be true. A failure is our bug, never the caller's. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant failed: ${message}`);
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
