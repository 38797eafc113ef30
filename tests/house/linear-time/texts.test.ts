import { expect, test } from 'vitest';
import { parseForm } from '@/sandbox/payments/form-encoding';
import { fillSchema } from '@/sandbox/provider/fill-schema';
import { readPricingQuery } from '@/server/api/pricing';
import { readCookie } from '@/server/base/cookies';
import { preflight } from '@/server/base/http/cors';
import { parseJsonObject } from '@/server/base/http/read-body';
import { readCsv } from '@/server/base/http/read-csv';
import { describeError, maskSecrets } from '@/server/base/log';
import { readProviderFailure } from '@/server/gateway/providers/provider-failure';
import { checkName } from '@/server/partners/name';
import { normaliseEmail } from '@/server/people/email';
import { parseNetworks, parseOrigins } from '@/server/people/keys/restriction-rules';
import { findGrowth, type Work } from '../../harness/growth';

/** What is read of a text that a stranger writes. */

/** A quarter of the repetitions. */
const COUNT = 32 * 1024;

const PIECES = [
  'x',
  '1',
  ':',
  '1.',
  ' ',
  '\n',
  '/',
  '[',
  '<',
  '"',
  '@',
  'a@',
  'a.',
  'a-',
  '.a',
  "'",
  '`',
  '\n    at ',
  'thinking ',
];
const ofPieces = (use: (text: string) => unknown): Record<string, Work> =>
  Object.fromEntries(
    PIECES.map((piece) => [
      JSON.stringify(piece),
      (count: number) => {
        const text = piece.repeat(count);
        return () => use(text);
      },
    ]),
  );

const numbered = (count: number, write: (n: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, n) => write(n)).join(separator);

function withHeader(name: string, value: string): Request {
  return new Request('http://localhost/', { headers: { [name]: value } });
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) throw error;
  }
}

function stackOf(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at work (file.ts:1:1)`;
  return error;
}

const READERS: Record<string, Record<string, Work>> = {
  'a mask of the log': ofPieces(maskSecrets),
  'the description of a failure': ofPieces((text) => describeError(stackOf(text))),
  'an error of a provider': ofPieces((message) => {
    const body = JSON.stringify({ error: { message, code: message, type: message, param: message } });
    for (const status of [400, 403, 404, 413, 422, 429]) readProviderFailure({ status, body });
  }),
  'an e-mail address': ofPieces(normaliseEmail),
  'the name of an app': ofPieces(checkName),
  'networks and origins': ofPieces((text) => [parseNetworks(text), parseOrigins(text)]),
  CSV: ofPieces((text) => attempt(() => readCsv(text))),
  JSON: ofPieces((text) => attempt(() => parseJsonObject(`{"a":${text}`))),
  'a query': {
    'other names': (count) => {
      const url = `http://localhost/?${numbered(count / 4, (n) => `n${n}=`, '&')}`;
      return () => readPricingQuery(url);
    },
  },
  headers: {
    cookies: (count) => {
      const request = withHeader(
        'cookie',
        numbered(count / 4, (n) => `c${n}=v`, '; '),
      );
      return () => readCookie(request, 'wanted');
    },
    'names of headers': (count) => {
      const request = withHeader(
        'access-control-request-headers',
        numbered(count / 4, (n) => `x-${n}`, ','),
      );
      return () => preflight(request);
    },
  },
  'a form of the sandbox': {
    fields: (count) => {
      const text = numbered(count / 4, (n) => `f[n${n}]=v`, '&');
      return () => parseForm(text);
    },
    depth: (count) => {
      const text = `f${'[a]'.repeat(count / 4)}=v`;
      return () => parseForm(text);
    },
  },
  'a schema of the sandbox': {
    branches: (count) => {
      const twice = (n: number) => ({
        type: 'object',
        properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } },
      });
      const $defs = Object.fromEntries(Array.from({ length: count / 64 }, (_, n) => [`d${n}`, twice(n)]));
      return () => fillSchema({ ...twice(-1), $defs }, 'text');
    },
    'nested lists': (count) => {
      let schema: Record<string, unknown> = { type: 'string' };
      for (let n = 0; n < Math.min(count / 64, 1_000); n++)
        schema = { type: 'array', minItems: 5, items: schema };
      return () => fillSchema(schema, 'text');
    },
  },
};

test.each(Object.entries(READERS))(
  '%s is read in linear time @attack',
  (_, works) => {
    const slow = Object.entries(works).flatMap(([what, work]) => {
      const growth = findGrowth(work, COUNT);
      return growth === null ? [] : [`${what}: ${growth} times`];
    });
    expect(slow).toEqual([]);
  },
  600_000,
);
