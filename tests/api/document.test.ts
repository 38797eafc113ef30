import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { buildDocument, type OpenApiOperation } from '@/server/api/openapi/document';
import { ERROR_STATUS } from '@/server/base/errors';
import { EVENT_DATA } from '@/server/partners/webhooks/events';
import { API_ROUTES } from '@/server/process/api-routes';
import { compileContent } from './check-response';

const document = buildDocument();

/** Routes that are not for clients of the API. */
const UNDOCUMENTED = {
  '/api/health': 'for the operator',
  '/livez': 'for the operator',
  '/mcp': 'for clients of the Model Context Protocol',
  '/metrics': 'for the operator',
  '/readyz': 'for the operator',
};

const operations: [string, string, OpenApiOperation][] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [path, method, operation] as [string, string, OpenApiOperation],
    ),
);

test('the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('every reference in it resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  );
  const find = (path: string) =>
    path
      .split('/')
      .reduce<unknown>((place, key) => (place as Record<string, unknown> | undefined)?.[key], document);
  expect(references.length).toBeGreaterThan(50);
  expect(references.filter((path) => find(path) === undefined)).toEqual([]);
});

test('every route of the API is documented, with its methods, and nothing else is', () => {
  const served = Object.entries(API_ROUTES)
    .filter(([path]) => !(path in UNDOCUMENTED))
    .flatMap(([path, route]) =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
        .filter((method) => method in route)
        .map((method) => `${method} ${path.replace(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}')}`),
    );
  expect(operations.map(([path, method]) => `${method.toUpperCase()} ${path}`).sort()).toEqual(served.sort());
});

test('every event is documented', () => {
  expect(Object.keys(document.webhooks)).toEqual(Object.keys(EVENT_DATA));
});

test('every error code of the API is documented at some endpoint', () => {
  const documented = operations.flatMap(([, , { responses }]) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    ),
  );
  // Used by our own pages, because no endpoint of the API requires the user to be present; and for a method that
  // is no operation, or a request that no operation sees.
  const refusedBefore = ['method_not_allowed', 'url_too_long', 'headers_too_large'];
  const elsewhere = ['step_up_required', 'passkey_required', ...refusedBefore];
  expect([...new Set(documented), ...elsewhere].filter((name) => name !== 'response').sort()).toEqual(
    Object.keys(ERROR_STATUS).sort(),
  );
});

test('every array states its items, which generators of clients require', () => {
  const lacking: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, items } = value as { type?: unknown; items?: unknown };
    if ([type].flat().includes('array') && items === undefined) lacking.push(value);
    for (const inner of Object.values(value)) look(inner);
  };
  look(document.paths);
  look(document.components.schemas);
  expect(lacking).toEqual([]);
});

test('no enumeration repeats a value, which generators of clients refuse', () => {
  const repeating: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { enum: values } = value as { enum?: unknown };
    if (Array.isArray(values) && new Set(values).size < values.length) repeating.push(values);
    for (const inner of Object.values(value)) look(inner);
  };
  look(document);
  expect(repeating).toEqual([]);
});

test('operation ids are unique', () => {
  const ids = operations.map(([, , { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('every example matches its schema', () => {
  const all = [
    ...operations,
    ...Object.entries(document.webhooks).map(([name, { post }]) => [name, 'post', post] as const),
  ];
  test.each(all)('%s %s', (path, method, operation) => {
    if (operation === undefined) throw new Error('no operation');
    const place = path in document.webhooks ? 'webhooks' : 'paths';
    for (const [type, { examples = {} }] of Object.entries(operation.requestBody?.content ?? {})) {
      const check = compileContent(document, [place, path, method, 'requestBody', 'content', type]);
      for (const { value } of Object.values(examples)) expect(check(value)).toEqual([]);
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, { examples = {} }] of Object.entries(content)) {
        const check = compileContent(document, [place, path, method, 'responses', status, 'content', type]);
        for (const { value } of Object.values(examples)) expect(check(value)).toEqual([]);
      }
    }
  });
});
