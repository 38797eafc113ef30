import { expect, test } from 'vitest';
import { CLOSED, type CreditFormEvent, reduce, withSeparators, worth } from './credit-form';

const reduceAll = (...events: CreditFormEvent[]) => events.reduce(reduce, CLOSED);
const opened: CreditFormEvent = { type: 'opened', changeId: 'one' };
const filled: CreditFormEvent = {
  type: 'edited',
  field: { pocket: 1, credits: ' 12.5 ', reason: 'Goodwill' },
};
const review: CreditFormEvent = { type: 'review_requested' };

test('a complete change is reviewed before it is sent, and can be edited again', () => {
  const reviewed = reduceAll(opened, filled, review);
  expect(reviewed).toMatchObject({ isReview: true, changeId: 'one', pocket: 1 });
  expect(reduce(reviewed, { type: 'edit_requested' })).toEqual({ ...reviewed, isReview: false });
});

test.each([
  ['no reason', { reason: ' ' }],
  ['no credits', { credits: '' }],
  ['zero credits', { credits: '0' }],
  ['a negative amount', { credits: '-5' }],
  ['a seventh decimal', { credits: '1.0000001' }],
])('%s is rejected before the review', (_, field) => {
  expect(reduceAll(opened, filled, { type: 'edited', field }, review).isReview).toBe(false);
});

test('a reopened dialog is empty and has a new id; the pocket is kept', () => {
  const again = reduceAll(opened, filled, review, { type: 'closed' }, { type: 'opened', changeId: 'two' });
  expect(again).toEqual({ ...CLOSED, isOpen: true, pocket: 1, changeId: 'two' });
});

test('the confirmation shows every digit of the booked amount', () => {
  expect(withSeparators('9007199254740993.000001')).toBe('9,007,199,254,740,993.000001');
  expect(worth('250')).toBe('$2.50');
});
