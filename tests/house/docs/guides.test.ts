import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_DATA } from '@/server/partners/webhooks/events';

const webhooks = readFileSync('docs/webhooks.md', 'utf8');

test('the webhook guide lists every event with its fields, and every reason', () => {
  const rows = [...webhooks.matchAll(/^\| `([\w.]+)` \| .+? \| (.+) \|$/gm)].map(([, type, data = '']) => [
    type,
    namesIn(data.replaceAll(/\(.*?\)/g, '')),
  ]);
  const events = Object.entries(EVENT_DATA).map(([type, schema]) => [
    type,
    [...new Set(shapesOf(schema).flatMap(Object.keys))].sort(),
  ]);
  expect(rows).toEqual(events);
  const reasons = /^`reason` is .+?\./m.exec(webhooks)?.[0] ?? '';
  const known: string[] = EVENT_DATA['user_key.revoked'].shape.reason.options;
  expect(namesIn(reasons)).toEqual(['reason', ...known].sort());
});

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();

function shapesOf(schema: (typeof EVENT_DATA)[keyof typeof EVENT_DATA]): object[] {
  return 'options' in schema ? schema.options.map(({ shape }) => shape) : [schema.shape];
}

test('the widget guide quotes the messages that the checkout shows', () => {
  const guide = readFileSync('docs/widget.md', 'utf8');
  const quoted = [...guide.matchAll(/^\| "(.+?)"/gm)].map(([, text = '']) => text);
  const shown = ['texts/checkout/en.ts', 'texts/widget/en.ts']
    .map((file) => readFileSync(file, 'utf8'))
    .join();
  expect(quoted.length).toBeGreaterThan(3);
  expect(quoted.filter((text) => !shown.includes(text))).toEqual([]);
});
