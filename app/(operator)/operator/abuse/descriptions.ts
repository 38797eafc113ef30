import { ABUSE, type Reversals } from '@/server/operator/abuse';
import { inPercent } from '../write-amounts';

/** What the lists of the page show, one sentence each. */

const { shared, declined, days, reversals } = ABUSE;

export const describePage = (): string =>
  [
    `Accounts of the last ${days} days that may need a review, most unusual first.`,
    'No action is taken automatically, because families, offices, schools and mobile networks share cards, browsers and networks for good reasons.',
  ].join(' ');

export const describeSharedCards = (): string =>
  [
    `${shared.card} or more accounts paid with the same card.`,
    'A card in Apple Pay or Google Pay counts separately.',
  ].join(' ');

export const describeSharedNetworks = (): string =>
  [
    `${shared.network} or more accounts signed in from the same IPv4 address or IPv6 /64.`,
    'Most of these are offices, schools or mobile providers.',
  ].join(' ');

export const describeDeclined = (): string =>
  [
    `Accounts with ${declined.account} or more declined charges within an hour.`,
    `Also several accounts that share a card with ${declined.card} or more, or a network with ${declined.network} or more.`,
    'This is how stolen cards are usually tested.',
    'No account can begin more than 20 payments a minute.',
  ].join(' ');

export function describeAppReversals(medians: Reversals['medians']): string {
  const { purchases, refundedBp, disputedBp, multiple } = reversals;
  return [
    `Apps with ${purchases} or more purchases in ${reversals.days} days where refunds reached ${inPercent(refundedBp)} or disputes ${inPercent(disputedBp)} of credits sold.`,
    `Only those at ${multiple} times the median of all apps or more are listed.`,
    ...(medians === null
      ? []
      : [`Medians: ${inPercent(medians.refundedBp)} refunded, ${inPercent(medians.disputedBp)} disputed.`]),
  ].join(' ');
}

export const describeUserReversals = (): string =>
  [
    `Users with ${reversals.ofUser} or more refunded or disputed purchases among those of the last ${reversals.days} days.`,
    'Most users have none.',
  ].join(' ');
