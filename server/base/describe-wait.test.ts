import { expect, test } from 'vitest';
import { describeWait } from './describe-wait';

test.each([
  [1, '1 second'],
  [60, '60 seconds'],
  [61, '2 minutes'],
  [3_600, '60 minutes'],
  [3_601, '2 hours'],
  [86_400, '24 hours'],
])('a wait of %i seconds is rounded up to %s', (seconds, text) => {
  expect(describeWait(seconds)).toBe(text);
});
