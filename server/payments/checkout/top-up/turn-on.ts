import type { AutoTopUp } from '../../../../prisma/client/client';
import { nowDate } from '../../../base/clock';
import { wholeCredits } from '../../../base/credits';
import { inTransaction, prisma, type Tx } from '../../../base/db';
import { settings } from '../../../base/env';
import { newId } from '../../../base/ids';
import { lockAccount } from '../../../base/lock-account';
import { openWallet } from '../../../ledger';
import { findCustomer } from '../customers';
import type { PaymentFailure } from '../failure';
import { countPaymentAttempt } from '../payment-limit';
import type { SavedCard } from '../payment-processor';
import { stripeProcessor } from '../stripe/processor';
import { beginTopUps } from './advance';
import { findAutoTopUp, type OffReason, type TopUpState } from './auto-top-up';
import { CONSENT_VERSION, formatMinor, type TopUpTerms, writeConsent } from './terms';

/** Turning auto top-up on and changing it. */

const MAX_THRESHOLD = 1_000_000;
const MAX_CEILING_MINOR = 1_000_000;
export const PAYMENT_PATH = '/account/payment';

export type TurnOnRequest = TopUpTerms & {
  cardId: string;
  /** The words that the user saw when they agreed. */
  consent: string;
};

export type TurnOnResult =
  | { kind: 'on' }
  /** The bank wants the user to allow charges while they are absent, on its own page. */
  | { kind: 'needs_action'; url: string }
  | { kind: 'refused'; field: 'threshold' | 'amount' | 'ceiling' | 'card' | 'consent'; message: string };

/**
 * Has the bank prepare the card for charges while the user is absent, and records what the user agreed to once it
 * is in effect. Call it only for a user who has just confirmed that they are present.
 */
export async function turnOnAutoTopUp(
  { userId, sessionId }: { userId: string; sessionId: string },
  request: TurnOnRequest,
): Promise<TurnOnResult> {
  const refusal = refuseTerms(request);
  if (refusal !== null) return refusal;
  await countPaymentAttempt(userId);
  const [customer, before] = await Promise.all([findCustomer(userId), findAutoTopUp(userId)]);
  if (before?.sessionId) return refuse('consent', IN_PROGRESS);
  const card = (await listTopUpCards(userId)).find(({ id }) => id === request.cardId);
  if (customer === null || card === undefined)
    return refuse('card', 'This card is no longer saved. Choose another one.');
  if (request.consent !== writeConsent(settings().BRAND_NAME, request, card))
    return refuse('consent', 'The terms have changed. Reload the page and read them again.');
  const consentId = newId('cns');
  const isAuthorized = before?.state === 'on' && before.cardId === card.id;
  const authorization = isAuthorized
    ? ({ kind: 'ready' } as const)
    : await stripeProcessor.authorizeCard({
        processorCustomerId: customer,
        cardId: card.id,
        returnUrl: settings().BASE_URL + PAYMENT_PATH,
        key: `authorize_${consentId}`,
      });
  if (authorization.kind === 'unknown_card') return refuse('card', 'This card is no longer saved.');
  if (authorization.kind === 'declined') return refuse('card', wordDecline(authorization.failure));
  const waits = authorization.kind === 'needs_action' ? authorization : null;
  const choice = { request, card, consentId, authorizationId: waits?.authorizationId ?? null };
  if (!(await save({ userId, sessionId }, choice, before?.consentId ?? null)))
    return refuse('consent', CHANGED);
  if (waits !== null) return { kind: 'needs_action', url: waits.url };
  // The balance may be below the threshold already.
  await beginTopUps([userId]);
  return { kind: 'on' };
}

/** The cards that auto top-up can use. */
export async function listTopUpCards(userId: string): Promise<SavedCard[]> {
  const customer = await findCustomer(userId);
  return customer === null ? [] : stripeProcessor.listCards(customer);
}

/** Called when the user is back from the bank, or looks at the page again. */
export async function finishAuthorization(topUp: AutoTopUp): Promise<AutoTopUp | null> {
  const { userId, state, authorizationId, cardId } = topUp;
  if (state !== 'authorizing' || authorizationId === null) return topUp;
  const reported = await stripeProcessor.readAuthorization(authorizationId);
  if (reported?.state === 'needs_action') return topUp;
  const isReady = reported?.state === 'ready' && reported.cardId === cardId;
  const next: TopUpState = isReady ? 'on' : 'off';
  const { count } = await prisma().autoTopUp.updateMany({
    where: { userId, state: 'authorizing', authorizationId },
    data: {
      state: next,
      offReason: isReady ? null : ('not_allowed' satisfies OffReason),
      authorizationId: null,
      updatedAt: nowDate(),
    },
  });
  if (isReady && count === 1) await beginTopUps([userId]);
  return findAutoTopUp(userId);
}

const IN_PROGRESS =
  'A top-up is in progress. Wait until it is complete, or turn auto top-up off first, then change it.';
const CHANGED = 'Auto top-up was changed in another window. Reload the page to see its current state.';

function refuseTerms({ threshold, amountMinor, ceilingMinor, currency }: TurnOnRequest): TurnOnResult | null {
  const { MINIMUM_PURCHASE, MAXIMUM_PURCHASE } = settings();
  const show = (minor: number) => formatMinor(minor, currency);
  const [least, most] = [MINIMUM_PURCHASE * 100, MAXIMUM_PURCHASE * 100];
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > MAX_THRESHOLD)
    return refuse('threshold', 'Enter a whole number of credits from 1 to 1,000,000.');
  if (!Number.isInteger(amountMinor) || amountMinor < least || amountMinor > most)
    return refuse('amount', `Enter an amount from ${show(least)} to ${show(most)}.`);
  if (!Number.isInteger(ceilingMinor) || ceilingMinor < amountMinor || ceilingMinor > MAX_CEILING_MINOR)
    return refuse('ceiling', `Enter an amount from ${show(amountMinor)} to ${show(MAX_CEILING_MINOR)}.`);
  return null;
}

const refuse = (field: 'threshold' | 'amount' | 'ceiling' | 'card' | 'consent', message: string) =>
  ({ kind: 'refused', field, message }) as const;

const wordDecline = (failure: PaymentFailure): string =>
  failure === 'insufficient_funds'
    ? 'Your bank declined this card: insufficient funds.'
    : 'Your bank does not allow automatic payments with this card. Choose another one, or contact your bank.';

type Choice = { request: TurnOnRequest; card: SavedCard; consentId: string; authorizationId: string | null };
type SessionOwner = { userId: string; sessionId: string };

/**
 * False if a top-up has begun or other terms came into effect after `consentBefore` was read: then nothing is
 * recorded, so every recorded consent was in effect.
 */
async function save(who: SessionOwner, choice: Choice, consentBefore: string | null): Promise<boolean> {
  return inTransaction(async (tx) => {
    await lockAccount(tx, who.userId);
    // A user who has not used any app yet has no credits to compare.
    await openWallet(tx, who.userId);
    if (!(await saveTerms(tx, who.userId, choice, consentBefore))) return false;
    const { threshold, currency, amountMinor, ceilingMinor, cardId, consent } = choice.request;
    await tx.autoTopUpConsent.create({
      data: {
        id: choice.consentId,
        ...who,
        textVersion: CONSENT_VERSION,
        text: consent,
        threshold: wholeCredits(threshold),
        currency,
        amountMinor,
        ceilingMinor,
        cardId,
        agreedAt: nowDate(),
      },
    });
    return true;
  });
}

async function saveTerms(
  tx: Tx,
  userId: string,
  { request, card, consentId, authorizationId }: Choice,
  consentBefore: string | null,
): Promise<boolean> {
  const { currency, amountMinor, ceilingMinor, threshold } = request;
  const terms = {
    state: (authorizationId === null ? 'on' : 'authorizing') satisfies TopUpState,
    threshold: wholeCredits(threshold),
    currency,
    amountMinor,
    ceilingMinor,
    cardId: card.id,
    cardBrand: card.brand,
    cardLast4: card.last4,
    consentId,
    authorizationId,
    updatedAt: nowDate(),
  };
  // Locked, so that no top-up begins under these terms before they are saved.
  await tx.$queryRaw`SELECT FROM auto_top_up WHERE user_id = ${userId} FOR UPDATE`;
  const before = await tx.autoTopUp.findUnique({ where: { userId } });
  if (before === null) {
    await tx.autoTopUp.create({ data: { userId, ...terms } });
    return true;
  }
  if (before.sessionId !== null || before.consentId !== consentBefore) return false;
  const month = before.currency === currency ? {} : await countMonth(tx, before, currency);
  await tx.autoTopUp.update({ where: { userId }, data: { offReason: null, ...terms, ...month } });
  return true;
}

/** The ceiling is per currency: a change of it counts what the month already had in the new one. */
async function countMonth(tx: Tx, { userId, month }: AutoTopUp, currency: string) {
  const at = nowDate();
  const thisMonth = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
  const { _sum: sum } = await tx.checkoutSession.aggregate({
    _sum: { amountMinor: true },
    where: {
      userId,
      method: 'auto_top_up',
      currency,
      status: { in: ['open', 'processing', 'completed'] },
      createdAt: { gte: thisMonth },
    },
  });
  const isLater = month !== null && month > thisMonth;
  return { month: isLater ? month : thisMonth, monthMinor: sum.amountMinor ?? 0 };
}
