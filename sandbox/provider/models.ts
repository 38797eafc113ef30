import type { Failure } from './wire-format';

/** Every model of the sandbox, without the provider's prefix. */
const SANDBOX_MODELS = [
  'echo',
  'story',
  'talk',
  'tool',
  'error-400',
  'error-401',
  'error-429',
  'error-500',
  'slow',
  'stall',
  'cut',
  'error-in-stream',
  'error-mid-stream',
  'no-done',
  'no-finish',
  'no-usage',
  'big-usage',
  'split-utf8',
] as const;

export function isSandboxModel(name: string): boolean {
  return (SANDBOX_MODELS as readonly string[]).includes(name);
}

/** Models that always return an error. The 401 contains part of a key, which must not reach a user. */
const REFUSALS: Record<string, Failure> = {
  'error-400': {
    status: 400,
    kind: 'bad_request',
    message: "Unsupported value: 'temperature' does not support this value.",
    param: 'temperature',
  },
  'error-401': {
    status: 401,
    kind: 'authentication',
    message:
      'Incorrect API key provided: sk-proj-********************wxyz. You can find your API key in your account settings.',
  },
  'error-429': {
    status: 429,
    kind: 'rate_limit',
    message:
      'Rate limit reached for this model in organization org-sandbox on tokens per min (TPM): Limit 30000, Used 29990.',
    retryAfterSeconds: 7,
  },
  'error-500': {
    status: 500,
    kind: 'server_error',
    message: 'The server had an error while processing your request. Sorry about that!',
  },
};

export function findRefusal(model: string): Failure | null {
  return REFUSALS[model] ?? null;
}
