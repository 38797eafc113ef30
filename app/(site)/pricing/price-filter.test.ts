import { expect, test } from 'vitest';
import type { PriceRow } from '../parts/price-rows';
import { findRows, inScope, writeFilter } from './price-filter';

const row = (id: string, name: string, isServed = true): PriceRow =>
  ({ id, name, provider: id.split('/')[0] ?? '', isServed }) as PriceRow;
const ROWS = [
  row('openai/gpt-5.4', 'GPT-5.4'),
  row('anthropic/claude-sonnet', 'Claude Sonnet', false),
  row('openai/gpt-5.4-mini', 'GPT-5.4 Mini'),
];
const ids = (rows: PriceRow[]) => rows.map(({ id }) => id);

test('a scope lists its models and their providers', () => {
  expect(ids(inScope(ROWS, 'served').rows)).toEqual(['openai/gpt-5.4', 'openai/gpt-5.4-mini']);
  expect(inScope(ROWS, 'served').providers).toEqual(['openai']);
  expect(inScope(ROWS, 'all').providers).toEqual(['anthropic', 'openai']);
});

test('every word must occur in the id or the name, in any case', () => {
  expect(ids(findRows(ROWS, { q: ' MINI openai', provider: '', rule: '' }))).toEqual(['openai/gpt-5.4-mini']);
  expect(findRows(ROWS, { q: 'mini claude', provider: '', rule: '' })).toEqual([]);
  expect(findRows(ROWS, { q: '', provider: '', rule: '' })).toEqual(ROWS);
  expect(ids(findRows(ROWS, { q: '', provider: 'anthropic', rule: '' }))).toEqual([
    'anthropic/claude-sonnet',
  ]);
});

test('a data rule leaves the models that meet it', () => {
  const rows = [
    { ...ROWS[0], rules: ['no_training'] },
    { ...ROWS[1], rules: [] },
  ] as PriceRow[];
  expect(ids(findRows(rows, { q: '', provider: '', rule: 'no_training' }))).toEqual(['openai/gpt-5.4']);
});

test('the URL contains only what differs from the defaults', () => {
  expect(writeFilter({ q: ' ', provider: '', rule: '', show: 'all' }, 'all')).toBe('');
  expect(writeFilter({ q: 'gpt 5', provider: 'openai', rule: 'no_training', show: 'all' }, 'served')).toBe(
    'q=gpt+5&provider=openai&rule=no_training&show=all',
  );
});
