/** Every error code of the API and its status. The compiler lists each place that must decide. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_code: 400,
  code_expired: 400,
  invalid_grant: 400,
  missing_api_key: 401,
  invalid_user_key: 401,
  invalid_publishable_key: 401,
  insufficient_credits: 402,
  partner_not_permitted: 402,
  partner_limit_reached: 402,
  model_not_allowed: 403,
  origin_not_allowed: 403,
  partner_disabled: 403,
  step_up_required: 403,
  model_not_found: 404,
  not_found: 404,
  idempotency_conflict: 409,
  request_too_large: 413,
  rate_limited: 429,
  internal_error: 500,
  upstream_error: 502,
  overloaded: 503,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

export type ErrorDetails = {
  /** The offending field, in the caller's own naming. */
  param?: string;
  /** Whole seconds, 1–60: sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Kept for the log, never sent. */
  cause?: unknown;
};

/** A request that cannot go on. `message` is public; `cause` is for the log only. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** There is more to do than can be done at once. */
export function overloaded(cause?: unknown): ApiError {
  return new ApiError('overloaded', 'The service is busy. Please retry.', { retryAfterSeconds: 1, cause });
}

/** States what must be true; a failure is a bug of ours, never of the caller. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant failed: ${message}`);
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
