import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { findGrowth } from '../../tests/harness/growth';
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

/** Four times as much is the most that the head of a request may have. */
const LENGTH = 16 * 1024;

it.each([
  ['slashes', '/v1', '/', 'x/'],
  ['escapes', '/', '%61', ''],
  ['half escapes', '/', '%6', ''],
  ['dots', '/', './', 'x'],
  ['versions', '/', 'v1', '/x'],
  ['endpoints', '/', 'chat/completions/', 'x'],
  ['parameters', '/?', 'a&', ''],
])('%s are read in linear time @attack', (_, start, unit, end) => {
  const growth = findGrowth((length) => {
    const url = start + unit.repeat(length / unit.length) + end;
    return () => {
      targetOf(requestOf(url));
      findFault(requestOf(url));
    };
  }, LENGTH);
  expect(growth).toBeNull();
});
