import { describe, expect, it } from 'vitest';
import { metadataSchema } from './metadata';

const accepts = (value: unknown): boolean => metadataSchema.safeParse(value).success;
/** As JSON.stringify writes it: {"a":"…"} */
const ofLength = (characters: number) => ({ a: 'x'.repeat(characters - '{"a":""}'.length) });

describe('metadata', () => {
  it('is a flat object of strings, finite numbers and booleans', () => {
    expect(accepts({})).toBe(true);
    expect(accepts({ plan: 'pro', seats: 3, ratio: -0.5, trial: false, '': 'x' })).toBe(true);
  });

  it.each([
    [null],
    ['text'],
    [7],
    [[]],
    [['a']],
    [{ a: null }],
    [{ a: {} }],
    [{ a: [] }],
    [{ a: Number.NaN }],
    [{ a: Number.POSITIVE_INFINITY }],
    [JSON.parse('{"a":1e999}')],
    [{ a: undefined }],
  ])('refuses %j', (value) => {
    expect(accepts(value)).toBe(false);
  });

  it('holds 500 characters as JSON.stringify writes them, and no more', () => {
    expect(JSON.stringify(ofLength(500))).toHaveLength(500);
    expect(accepts(ofLength(500))).toBe(true);
    expect(accepts(ofLength(501))).toBe(false);
    // A quote is written as two characters.
    expect(accepts({ a: '"'.repeat(246) })).toBe(true);
    expect(accepts({ a: '"'.repeat(247) })).toBe(false);
  });

  it('refuses text that the database cannot store', () => {
    expect(accepts({ a: 'x\0' })).toBe(false);
    expect(accepts({ a: '\ud800' })).toBe(false);
    expect(accepts({ '\ud800': 'x' })).toBe(false);
    expect(metadataSchema.safeParse({ 'x\0': 'x' }).error?.issues[0]?.message).toMatch(/NUL/);
    expect(accepts({ a: '😀' })).toBe(true);
  });
});
