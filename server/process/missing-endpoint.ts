import { settings } from '../env';
import { ApiError } from '../errors';

/** Endpoints of other services that clients call by default or by habit, and what to do instead. */
const UNSUPPORTED: [RegExp, string][] = [
  [/^completions$/, 'Completions without messages are not supported. Use POST /v1/chat/completions.'],
  [/^(messages\/)?batches$/, 'Batches are not supported. Send each request on its own.'],
  [/^(files|uploads)$/, 'Uploaded files are not supported. Send images and PDFs inline.'],
  [/^(images|videos)$/, 'The generation of images and videos is not supported.'],
  [/^(audio|realtime)$/, 'Audio is not supported.'],
  [/^moderations$/, 'Moderations are not supported.'],
  [
    /^(assistants|threads|conversations|vector_stores)$/,
    'Stored conversations are not supported. Use POST /v1/chat/completions.',
  ],
  [/^generation$/, 'Use GET /v1/credits/receipts/{request_id} for what a request cost.'],
  [/^(credits|key|auth\/key)$/, 'Use GET /v1/credits/balance for what can be spent.'],
];

/** The error for a path without an endpoint: what to use instead, or the base URL that the client needs. */
export function missingEndpoint(pathname: string): ApiError {
  const [, name = ''] = /^\/v1\/((?:messages\/|auth\/)?[^/]+)/.exec(pathname) ?? [];
  const known = UNSUPPORTED.find(([pattern]) => pattern.test(name));
  return new ApiError('not_found', known?.[1] ?? `This URL does not exist. ${describeBaseUrl()}`);
}

function describeBaseUrl(): string {
  const { origin } = new URL(settings().BASE_URL);
  return `The base URL is ${origin}/v1 in the chat format, and ${origin} in the messages format.`;
}
