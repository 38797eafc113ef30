import type { z } from 'zod';
import type { ErrorCode } from '../errors';
import type { ErrorFormat } from '../http/error-bodies';
import type { HeaderName } from './headers';
import type { RequestName, ResponseName } from './schemas';

/** One documented endpoint. Its shapes are the schemas that its route uses. */
export type Operation = {
  id: string;
  method: 'get' | 'post';
  /** `{name}` for a parameter. */
  path: string;
  group: GroupId;
  summary: string;
  description: string;
  /** What the request must carry. A publishable key is a field or parameter of its own. */
  auth: 'user-key' | 'none';
  pathParameters?: Record<string, { description: string; example: string }>;
  query?: { schema: z.ZodObject; examples: Record<string, unknown> };
  requestHeaders?: Record<string, { description: string; example: string }>;
  body?: { schema: RequestName; asForm?: boolean; examples: Record<string, Example> };
  response: {
    description: string;
    schema: ResponseName;
    example: unknown;
    headers?: HeaderName[];
    /** When the client asks for a stream. */
    stream?: { event: ResponseName; example: string };
  };
  errorFormat: ErrorFormat;
  /** Beside what may happen to any request. */
  errors: ErrorCode[];
};

type Example = { summary: string; value: object };

export const GROUPS = {
  generate: {
    title: 'Generate',
    description:
      'Both request formats reach every model. A request is charged by the tokens that it used, once, when its answer is whole.',
  },
  models: { title: 'Models and prices', description: 'What can be asked, and what it costs.' },
  credits: { title: 'Credits', description: 'What this app can spend for a user, and what it spent.' },
  checkout: {
    title: 'Checkout',
    description:
      'The widget does all of this by itself. These endpoints are for apps that start a purchase from their own backend.',
  },
  'sign-in': {
    title: 'Sign-in',
    description: 'How a user becomes a user key, for apps that do not use the widget.',
  },
  document: { title: 'This document', description: 'The API in a form that machines read.' },
} as const;

export type GroupId = keyof typeof GROUPS;
