type StripeErrorBody = {
  type: 'invalid_request_error' | 'idempotency_error' | 'card_error' | 'api_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
  charge?: string;
  /** The whole object, as at Stripe. */
  payment_intent?: object;
};

/** The API refuses a request, with Stripe's wording. */
export class StripeError extends Error {
  readonly status: number;
  readonly body: StripeErrorBody;

  constructor(status: number, body: StripeErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

export function invalidRequest(
  message: string,
  details: { code?: string; param?: string; status?: number } = {},
): StripeError {
  const { status = 400, ...rest } = details;
  return new StripeError(status, { type: 'invalid_request_error', message, ...rest });
}

export function missingParameter(param: string): StripeError {
  return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
}

export function resourceMissing(kind: string, id: string, param = 'id'): StripeError {
  return invalidRequest(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param });
}
