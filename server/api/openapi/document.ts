import { type Settings, settings } from '../../base/env';
import { ERROR_STATUS, type ErrorCode, FINAL_STATUSES } from '../../base/errors';
import { oauthCodeOf } from '../../base/http/error-bodies';
import { ERROR_GUIDE, exampleError } from './error-guide';
import { HEADERS, type HeaderName } from './headers';
import { type JsonObject, type JsonSchema, reference } from './json';
import { type FileResponse, GROUPS, type JsonResponse, type Operation } from './operation';
import { OPERATIONS } from './operations';
import { namedSchemas, toJsonSchema } from './schemas';
import { writeWebhooks } from './webhooks';

/**
 * The OpenAPI document, generated from the operations. Their schemas are the zod schemas that
 * validate requests and type responses.
 */

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, Record<string, OpenApiOperation>>;
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, JsonSchema>; headers: Record<string, JsonObject> } & JsonObject;
} & JsonObject;

export type OpenApiOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security?: Record<string, string[]>[];
  parameters?: OpenApiParameter[];
  requestBody?: { required: boolean; content: Record<string, OpenApiContent> };
  responses: Record<string, OpenApiResponse>;
};

export type OpenApiParameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
};

export type OpenApiContent = {
  schema: JsonSchema;
  examples?: Record<string, { summary: string; value: unknown }>;
};

export type OpenApiResponse = {
  description: string;
  headers?: Record<string, JsonObject>;
  content?: Record<string, OpenApiContent>;
};

const VERSION = '1.0.0';
/** The brand as it appears in wire names. */
const WIRE_BRAND = 'svc';

const USER_KEY = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The user key (`svc_sk_…`), as sent by client libraries of the chat format.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The user key, as sent by client libraries of the messages format.',
  },
  userKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-User-Key',
    description: 'The user key, for use in browsers.',
  },
} as const;

const SIGNING_SECRET = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'The publishable key as user name and the signing secret of the webhooks as password.',
  },
} as const;

/** Any one of a set is sufficient. */
const SECURITY = { 'user-key': USER_KEY, 'signing-secret': SIGNING_SECRET, none: {} } as const;

let current: OpenApiDocument | undefined;

/** The document of this service. Built once, because it depends only on the settings. */
export function apiDocument(): OpenApiDocument {
  current ??= buildDocument();
  return current;
}

export function buildDocument({ BASE_URL, BRAND_NAME }: Settings = settings()): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: writeOperation(operation) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `${BRAND_NAME} API`,
      version: VERSION,
      description:
        'AI models for apps whose users pay with their own prepaid credits. Amounts are in credits (100 credits = 1 USD) with up to six decimals. Times are ISO 8601 in UTC. Endpoints that take a user key can be called from any origin.',
    },
    servers: [{ url: BASE_URL }],
    tags: [
      ...Object.entries(GROUPS).map(([name, { description }]) => ({ name, description })),
      { name: 'webhooks', description: 'Signed events sent to your backend.' },
    ],
    paths,
    webhooks: writeWebhooks(WIRE_BRAND) as OpenApiDocument['webhooks'],
    components: {
      securitySchemes: { ...USER_KEY, ...SIGNING_SECRET },
      schemas: namedSchemas(),
      headers: HEADERS,
    },
  };
}

function writeOperation(operation: Operation): OpenApiOperation {
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation),
    ...headerParameters(operation),
  ];
  return {
    operationId: operation.id,
    tags: [operation.group],
    summary: operation.summary,
    description: operation.description,
    security: Object.keys(SECURITY[operation.auth]).map((name) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: writeBody(operation.body) }),
    responses: { '200': writeResponse(operation.response), ...writeErrors(operation) },
  };
}

function pathParameters({ pathParameters = {} }: Operation): OpenApiParameter[] {
  return Object.entries(pathParameters).map(([name, { description, example }]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  }));
}

function queryParameters({ query }: Operation): OpenApiParameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toJsonSchema(query.schema, 'input');
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    ...(schema.type === 'array'
      ? // One comma-separated value.
        { schema: { type: 'string' }, description: `${description} Comma-separated.` }
      : { schema }),
    ...(name in query.examples && { example: query.examples[name] }),
  }));
}

function headerParameters({ requestHeaders = {} }: Operation): OpenApiParameter[] {
  return Object.entries(requestHeaders).map(([name, { description, example }]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
    example,
  }));
}

function writeBody({
  schema,
  asForm = false,
  isMultipart = false,
  examples,
}: NonNullable<Operation['body']>) {
  const content = { schema: reference('schemas', schema), examples };
  return {
    required: true,
    content: {
      [isMultipart ? 'multipart/form-data' : 'application/json']: content,
      ...(asForm && { 'application/x-www-form-urlencoded': { schema: content.schema } }),
    },
  };
}

function writeResponse(response: Operation['response']): OpenApiResponse {
  return 'contentType' in response ? writeFileResponse(response) : writeJsonResponse(response);
}

const writeFileResponse = ({ description, contentType, headers = [] }: FileResponse): OpenApiResponse => ({
  description,
  headers: writeHeaders(['x-request-id', ...headers]),
  content: { [contentType]: { schema: { type: 'string', format: 'binary' } } },
});

function writeJsonResponse({
  description,
  schema,
  example,
  headers = [],
  stream,
}: JsonResponse): OpenApiResponse {
  return {
    description,
    headers: writeHeaders(['x-request-id', ...headers]),
    content: {
      'application/json': {
        schema: reference('schemas', schema),
        examples: { response: { summary: 'A response', value: example } },
      },
      ...(stream && {
        'text/event-stream': {
          // Without a type: some tools check the whole stream against it, and others each event.
          schema: {
            description: `Server-sent events. The data of each event is a ${stream.event}, or an error if the response ends early.`,
            'x-event-schema': reference('schemas', stream.event),
          } as JsonSchema,
          examples: { stream: { summary: 'A stream', value: stream.example } },
        },
      }),
    },
  };
}

/** Errors that any request may receive. */
const ANYWHERE: ErrorCode[] = ['internal_error', 'overloaded'];
/** Errors that any request with a body may receive, before it is read. */
const WITH_BODY: ErrorCode[] = ['request_timeout', 'rate_limited'];

/** One response per status. Its schema allows only the error codes of this operation. */
function writeErrors({ errors: own, errorFormat, body }: Operation): Record<string, OpenApiResponse> {
  const errors = [...new Set([...own, ...(body ? WITH_BODY : []), ...ANYWHERE])];
  const statuses = [...new Set(errors.map((code) => ERROR_STATUS[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = errors.filter((code) => ERROR_STATUS[code] === status);
      return [String(status), writeError(errorFormat, status, codes)];
    }),
  );
}

const ERROR_SCHEMAS = { chat: 'Error', messages: 'MessagesError', oauth: 'OauthError' } as const;

function writeError(format: Operation['errorFormat'], status: number, codes: ErrorCode[]): OpenApiResponse {
  const schema = reference('schemas', ERROR_SCHEMAS[format]);
  const error =
    format === 'oauth'
      ? { enum: [...new Set(codes.map(oauthCodeOf))] }
      : { properties: { type: { enum: codes } } };
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_GUIDE[code].when}`).join('\n\n'),
    headers: writeHeaders(['x-request-id', ...errorHeaders(status)]),
    content: {
      'application/json': {
        schema: { allOf: [schema, { properties: { error } }] },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: ERROR_GUIDE[code].when, value: exampleError(format, code) }]),
        ),
      },
    },
  };
}

function errorHeaders(status: number): HeaderName[] {
  if (status === 429 || status === 503) return ['retry-after'];
  return FINAL_STATUSES.has(status) ? ['x-should-retry'] : [];
}

const writeHeaders = (names: HeaderName[]): Record<string, JsonObject> =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
