import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findFault } from './gate';
import { targetOf } from './target';

const requestOf = (url: string, headers: string[] = ['host', 'svc.test']) =>
  ({ url, method: 'GET', rawHeaders: headers, headers: { host: headers[1] } }) as unknown as IncomingMessage;

describe('the path of a request', () => {
  it.each([
    ['/', '/'],
    ['///', '/'],
    ['/v1/models/', '/v1/models'],
    ['//v1///models//', '/v1/models'],
    ['/%76%31/%6dodels', '/v1/models'],
    ['/v1/models/openai%2Fgpt%3Afree', '/v1/models/openai%2Fgpt%3Afree'],
    ['/%2561', '/%2561'],
    ['/Account', '/Account'],
  ])('%s is read as %s', (url, pathname) => {
    expect(targetOf(requestOf(`${url}?a=//b/`))).toMatchObject({ pathname, search: '?a=//b/' });
  });

  it('is what the request has from the gate on', () => {
    const request = requestOf('//a%62c//?x=%62/');
    expect([findFault(request), request.url]).toEqual([null, '/abc?x=%62/']);
  });

  it.each([
    '/%%36%31',
    '/a b',
    '/a|b',
    '/%zz',
    '/%',
    '/a/..',
    '/./a',
    '/%2E./a',
    'a',
    '*',
    '',
    '/a?b#c',
    '/\u00e9',
    '/%ff',
  ])('%j is refused', (url) => expect(findFault(requestOf(url))?.code).toBe('invalid_request'));
});

const LENGTH = 65_536;
const filled = (start: string, unit: string, end: string) => start + unit.repeat(LENGTH / unit.length) + end;

it.each([
  ['slashes', filled('/v1', '/', 'x/')],
  ['escapes', filled('/', '%61', '')],
  ['half escapes', filled('/', '%6', '')],
  ['dots', filled('/', './', 'x')],
  ['versions', filled('/', 'v1', '/x')],
  ['endpoints', filled('/', 'chat/completions/', 'x')],
  ['parameters', filled('/?', 'a&', '')],
])('64 kB of %s cost less than 20 ms', (_, url) => {
  const { user, system } = process.cpuUsage();
  targetOf(requestOf(url));
  findFault(requestOf(url));
  const spent = process.cpuUsage({ user, system });
  expect((spent.user + spent.system) / 1_000).toBeLessThan(20);
});
