import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_ROUTES } from '@/server/process/api-routes';
import { buildRouteTable, findHandler } from '@/server/process/route-table';

test('every route file of the API is served without Next', () => {
  const folders = ['v1', 'auth', 'oauth', '.well-known', 'mcp', 'metrics', 'livez', 'readyz', 'api/health'];
  const files = folders.flatMap((folder) => listRoutes(`app/${folder}`));
  expect(Object.keys(API_ROUTES).sort()).toEqual(files.sort());
});

test('a path finds its route file and its parameters as they were sent', () => {
  const [one, rest, fixed] = [{}, {}, {}];
  const find = buildRouteTable({ '/v1/things/[id]': one, '/v1/models/[...id]': rest, '/v1/things': fixed });
  expect(find('/v1/things')?.module).toBe(fixed);
  expect(find('/v1/things/a%2Fb')).toEqual({ module: one, params: { id: 'a%2Fb' } });
  expect(find('/v1/models/openai/gpt')).toEqual({ module: rest, params: { id: ['openai', 'gpt'] } });
  expect(find('/v1/things/')).toBeUndefined();
  expect(find('/v1/things/a/b')).toBeUndefined();
});

test('HEAD answers as GET does, without the body; other methods are as exported', async () => {
  const module = { GET: () => new Response('body', { status: 201, headers: { 'x-kept': 'yes' } }) };
  const response = await findHandler(module, 'HEAD')?.(new Request('http://svc/'), {
    params: Promise.resolve({}),
  });
  expect([response?.status, response?.headers.get('x-kept'), response?.body]).toEqual([201, 'yes', null]);
  expect(findHandler(module, 'POST')).toBeUndefined();
});

function listRoutes(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('route.api.ts'))
    .map((file) => `${folder}/${file}`.replace(/^app|\/route\.api\.ts$/g, ''));
}
