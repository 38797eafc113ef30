import { expect, test } from 'vitest';
import { chooseSteps, writeStep, writeValue } from './bar-row';

test('a chart writes every number that is not zero as one, and amounts with two decimals', () => {
  expect(writeValue(0.00003, 'credits')).toBe('0.00003 credits');
  expect(writeValue(0.000031234, 'USD')).toBe('$0.000031');
  expect(writeValue(0, 'credits')).toBe('0.00 credits');
  expect(writeValue(12.5, 'USD')).toBe('$12.50');
  expect(writeValue(1234.567, 'credits')).toBe('1,234.56 credits');
  expect(writeValue(0.57 + 0.01, 'credits')).toBe('0.58 credits');
  expect(writeValue(1, 'requests')).toBe('1 request');
  expect(writeValue(1200)).toBe('1,200');
});

test.each([0.00004, 0.0021, 7, 12.5, 12_345, 9_876_543_210])(
  'the steps of an axis up to %d are different and short',
  (value) => {
    for (const unit of ['credits', 'USD'] as const) {
      const steps = chooseSteps([{ label: 'a day', values: { one: value } }]).map((step) =>
        writeStep(step, unit),
      );
      expect(new Set(steps).size).toBe(steps.length);
      expect(Math.max(...steps.map((step) => step.length))).toBeLessThan(10);
    }
  },
);
