import { expect, test } from 'vitest';
import { describeWait } from './describe-wait';

test.each([
  [1, '1 second', '1 Sekunde'],
  [60, '60 seconds', '60 Sekunden'],
  [61, '2 minutes', '2 Minuten'],
  [3_600, '60 minutes', '60 Minuten'],
  [3_601, '2 hours', '2 Stunden'],
  [86_400, '24 hours', '24 Stunden'],
])('a wait of %i seconds is rounded up to %s', (seconds, english, german) => {
  expect([describeWait(seconds), describeWait(seconds, 'de')]).toEqual([english, german]);
});
