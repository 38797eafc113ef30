import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { OpenApiDocument } from '@/server/api/openapi/document';
import type { JsonSchema } from '@/server/api/openapi/json';

/** Validates responses of a running server against the document. */

type Check = (value: unknown) => string[];
const ROOT = 'document';

/** The validation of the schema at a location in the document: returns all errors of a value. */
export function compileContent(document: OpenApiDocument, location: string[]): Check {
  return compile(document, [...location, 'schema']);
}

type Compiled = { ajv: Ajv2020; checks: Map<string, Check> };
const compiled = new WeakMap<OpenApiDocument, Compiled>();

function compile(document: OpenApiDocument, location: string[]): Check {
  const pointer = location
    .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const { ajv, checks } = compiled.get(document) ?? openDocument(document);
  const check = checks.get(pointer) ?? compileAt(ajv, pointer);
  checks.set(pointer, check);
  return check;
}

function openDocument(document: OpenApiDocument): Compiled {
  // Without inlining, a schema is compiled once, however many responses contain it.
  const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false });
  addFormats(ajv);
  ajv.addSchema(refuseUnknownFields(document) as object, ROOT);
  const opened = { ajv, checks: new Map() };
  compiled.set(document, opened);
  return opened;
}

function compileAt(ajv: Ajv2020, pointer: string): Check {
  const validate = ajv.compile({ $ref: `${ROOT}#/${pointer}` });
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
}

/** Clients must accept new fields; our own responses may contain only documented ones. */
function refuseUnknownFields(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  const responseSchemas = Object.entries(copy.components.schemas).filter(
    ([name]) => !name.endsWith('Request'),
  );
  for (const [, schema] of responseSchemas) close(schema);
  return copy;
}

function close(schema: JsonSchema): void {
  for (const inner of [
    ...Object.values(schema.properties ?? {}),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ]) {
    close(inner);
  }
  if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
}

type Call = { headers?: Record<string, string>; body?: unknown; query?: string; path?: string };

/** Sends requests to documented endpoints, and records which of the documented responses were seen. */
export function startChecking(url: string, document: OpenApiDocument) {
  const seen = new Set<string>();

  /** The response, after it was validated against the document. */
  async function call(
    operation: string,
    { headers = {}, body, query = '', path }: Call = {},
  ): Promise<Response> {
    const [method = '', pattern = ''] = operation.split(' ');
    const isSent = typeof body === 'string' || body instanceof Blob || body instanceof FormData;
    const text = isSent ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path ?? pattern}${query}`, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    });
    await checkResponse([pattern, method.toLowerCase()], response.clone());
    return response;
  }

  async function checkResponse([path, method]: [string, string], response: Response): Promise<void> {
    const documented = document.paths[path]?.[method]?.responses[String(response.status)];
    const text = await response.text();
    expect(documented, `${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`).toBeDefined();
    const [sent = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
    const type = sent.startsWith('audio/') ? 'audio/*' : sent;
    const location = ['paths', path, method, 'responses', String(response.status), 'content', type];
    seen.add(`${method.toUpperCase()} ${path} ${response.status} ${type}`);
    for (const name of ['x-request-id', 'request-id']) expect(response.headers.get(name)).toMatch(/^req_/);
    for (const name of ['retry-after', 'x-should-retry', 'x-svc-credits-charged']) {
      const isGiven = response.headers.has(name);
      if (isGiven)
        expect(Object.keys(documented?.headers ?? {}), `${path} ${response.status}`).toContain(name);
    }
    if (/^(?:audio|video)\/|x-jsonl$/.test(type)) return;
    if (type === 'text/event-stream') return checkEvents(location, text);
    expect(
      compileContent(document, location)(JSON.parse(text)),
      `${method} ${path} ${response.status}`,
    ).toEqual([]);
  }

  /** Validates each event's data: the stream's schema, or an error. */
  function checkEvents(location: string[], text: string): void {
    const check = compile(document, [...location, 'schema', 'x-event-schema']);
    const isError = compile(document, [
      'components',
      'schemas',
      location[1] === '/v1/messages' ? 'MessagesError' : 'Error',
    ]);
    const events = [...text.matchAll(/^data: (.+)$/gm)]
      .map(([, data]) => data ?? '')
      .filter((data) => data !== '[DONE]');
    expect(events.length).toBeGreaterThan(1);
    for (const data of events) {
      const event = JSON.parse(data);
      // Events of the responses format are numbered, errors too.
      const problems = 'error' in event && !('sequence_number' in event) ? isError(event) : check(event);
      expect(problems, data).toEqual([]);
    }
  }

  return { call, seen };
}
