import { settings } from '../base/env';
import { ApiError } from '../base/errors';

/** Endpoints of other services that clients call by default or by habit, and what to do instead. */
const UNSUPPORTED: [RegExp, string][] = [
  [/^completions\b/, 'Completions without messages are not supported. Use POST /v1/chat/completions.'],
  [/^uploads\b/, 'Uploads in parts are not supported. Use POST /v1/files.'],
  [/^images\b/, 'Only POST /v1/images/generations and /v1/images/edits are supported.'],
  [
    /^videos\/(edits|extensions|characters|[^/]+\/remix)\b/,
    'Videos cannot be changed. Use POST /v1/videos with an image that the video begins with.',
  ],
  [/^realtime\b/, 'Conversations by voice are not supported. Use POST /v1/audio/transcriptions.'],
  [/^vector_stores\b/, 'Vector stores are not supported. Send the text that the model needs as input.'],
  [
    /^conversations\b/,
    'Stored conversations are not supported. Use previous_response_id of POST /v1/responses.',
  ],
  [/^(assistants|threads)\b/, 'Assistants and their threads are not supported. Use POST /v1/responses.'],
  [/^(fine_tuning|evals|graders|containers|skills)\b/, 'Only requests to models are supported.'],
  [/^responses\/compact$/, 'The compaction of conversations is not supported. Send a shorter input.'],
  [
    /^responses\/[^/]+\/cancel$/,
    'Responses in the background are not supported, so none can be cancelled. Close the connection instead.',
  ],
  [/^generation\b/, 'Use GET /v1/credits/receipts/{request_id} for what a request cost.'],
  [/^(credits|key|auth\/key)$/, 'Use GET /v1/credits/balance for what can be spent.'],
];

const findReason = (pathname: string): string | undefined =>
  UNSUPPORTED.find(([pattern]) => pattern.test(pathname.replace(/^\/v1\//, '')))?.[1];

/** Whether another service has an endpoint at a path that is the id of something here. */
export const isUnsupported = (pathname: string): boolean => findReason(pathname) !== undefined;

/** The error for a path without an endpoint: what to use instead, or the base URL that the client needs. */
export const missingEndpoint = (pathname: string): ApiError =>
  new ApiError('not_found', findReason(pathname) ?? `This URL does not exist. ${describeBaseUrl()}`);

function describeBaseUrl(): string {
  const { origin } = new URL(settings().BASE_URL);
  return `The base URL is ${origin}/v1 in the chat format, and ${origin} in the messages format.`;
}
