import type { z } from 'zod';
import type { ErrorCode } from '../../base/errors';
import type { ErrorFormat } from '../../base/http/error-bodies';
import type { HeaderName } from './headers';
import type { RequestName, ResponseName } from './schemas';

/** One documented endpoint. It refers to the schemas that its route uses. */
export type Operation = {
  id: string;
  method: 'get' | 'post' | 'delete';
  /** Parameters are written as `{name}`. */
  path: string;
  group: GroupId;
  summary: string;
  description: string;
  /** The credential that the request must carry. A publishable key is an ordinary field or parameter. */
  auth: 'user-key' | 'signing-secret' | 'none';
  pathParameters?: Record<string, { description: string; example: string }>;
  query?: { schema: z.ZodObject; examples: Record<string, unknown> };
  requestHeaders?: Record<string, { description: string; example: string }>;
  /** `asForm`: forms are accepted too. `isMultipart`: JSON is not. */
  body?: {
    schema: RequestName;
    asForm?: boolean;
    isMultipart?: boolean;
    examples: Record<string, Example>;
  };
  response: JsonResponse | FileResponse;
  errorFormat: ErrorFormat;
  /** In addition to the errors that any request may receive. */
  errors: ErrorCode[];
};

export type JsonResponse = {
  description: string;
  schema: ResponseName;
  example: unknown;
  headers?: HeaderName[];
  /** Returned when the client requests a stream. */
  stream?: { event: ResponseName; example: string };
};

export type FileResponse = { description: string; contentType: string; headers?: HeaderName[] };

type Example = { summary: string; value: object };

export const GROUPS = {
  generate: {
    title: 'Generate',
    description:
      'All three request formats work with every model. Each request is charged once, for the tokens it used, when its response is complete.',
  },
  models: { title: 'Models and prices', description: 'The available models and what they cost.' },
  credits: { title: 'Credits', description: 'What this app can spend for a user, and what it has spent.' },
  checkout: {
    title: 'Checkout',
    description:
      'The widget does all of this for you. Use these endpoints to start a purchase from your own backend.',
  },
  'sign-in': {
    title: 'Sign-in',
    description: 'Sign users in and obtain user keys without the widget.',
  },
  oauth: {
    title: 'OAuth',
    description:
      'Sign users in with any OAuth 2.1 client, or from a terminal. The client id is the publishable key, and the access token is a user key.',
  },
  keys: {
    title: 'Keys',
    description: 'Revoke a user key, or report keys that were found in public.',
  },
  events: {
    title: 'Events',
    description:
      'Read what happened to the users of your app, from your backend. Webhooks deliver the same events.',
  },
  document: { title: 'This document', description: 'The API in machine-readable form.' },
} as const;

export type GroupId = keyof typeof GROUPS;
