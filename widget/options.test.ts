import { expect, test } from 'vitest';
import { readAmount, readOptions } from './options';

const CHECKOUT = 'https://pay.example.com/checkout';
const publishableKey = 'svc_pk_0123456789abcdef';
const read = (options: unknown) => readOptions(options, CHECKOUT);

test('a key is the only required option', () => {
  const { config, problems } = read({ publishableKey });
  expect(problems).toEqual([]);
  expect(config).toEqual({
    publishableKey,
    checkoutUrl: CHECKOUT,
    currency: 'usd',
    display: 'embedded',
    checkoutMode: 'embedded',
    locale: null,
    metadata: null,
    callbacks: {},
  });
});

test.each([
  ['https://pay.test', 'https://pay.test/checkout'],
  ['https://pay.test/', 'https://pay.test/checkout'],
  ['https://pay.test/buy/', 'https://pay.test/buy'],
  ['http://localhost:3000/checkout?x#y', 'http://localhost:3000/checkout'],
])('baseUrl %s means %s', (baseUrl, checkoutUrl) => {
  expect(read({ publishableKey, baseUrl }).config.checkoutUrl).toBe(checkoutUrl);
});

test.each([
  ['publishableKey', undefined],
  ['publishableKey', 'svc_sk_0123456789abcdef'],
  ['baseUrl', 'javascript:alert(1)'],
  ['baseUrl', '/checkout'],
  ['baseUrl', 7],
  ['currency', 'gbp'],
  ['display', 'EMBEDDED'],
  ['checkoutMode', null],
  ['locale', 'German'],
  ['locale', 7],
  ['metadata', { nested: {} }],
  ['onCreditsAdded', 'a function'],
])('an invalid %s is reported, and its default used', (name, value) => {
  const { config, problems } = read({ publishableKey, [name]: value });
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must`))]);
  const rest = read({ publishableKey }).config;
  expect(config).toEqual(name === 'publishableKey' ? { ...rest, publishableKey: '' } : rest);
});

test.each([null, undefined, 'options', 7])('a value that is not an object (%s) does not throw', (given) => {
  expect(read(given).problems).toHaveLength(1);
});

test('metadata that cannot be serialized is refused, and other metadata is copied', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(read({ publishableKey, metadata: circle }).problems).toHaveLength(1);
  const metadata = { team: 'blue' };
  const { config } = read({ publishableKey, metadata });
  metadata.team = 'red';
  expect(config.metadata).toEqual({ team: 'blue' });
});

test('an unknown option is listed, and is not an error', () => {
  const all = {
    publishableKey,
    baseUrl: CHECKOUT,
    currency: 'eur',
    display: 'popup',
    checkoutMode: 'manual',
    locale: 'de-CH',
    metadata: {},
    onError: () => {},
  };
  expect(read(all)).toMatchObject({ problems: [], unknown: [] });
  expect(read({ ...all, onSuccess: () => {}, publishable_key: 'x' })).toMatchObject({
    problems: [],
    unknown: ['onSuccess', 'publishable_key'],
  });
});

test('an amount is a number above 0', () => {
  expect(readAmount(undefined)).toEqual({ amount: null });
  expect(readAmount({ amount: 12.5 })).toEqual({ amount: 12.5 });
  for (const amount of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, '25', {}])
    expect(readAmount({ amount })).toMatchObject({ amount: null, problem: expect.any(String) });
  for (const given of [25, '25', true])
    expect(readAmount(given)).toEqual({ amount: null, problem: expect.stringContaining('{ amount: 25 }') });
});
