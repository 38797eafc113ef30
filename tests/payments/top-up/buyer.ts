import { expect } from 'vitest';
import { prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { openCustomer } from '@/server/payments/checkout/customers';
import { stripeProcessor } from '@/server/payments/checkout/stripe/processor';
import { type TopUpTerms, writeConsent } from '@/server/payments/checkout/top-up/terms';
import { type TurnOnResult, turnOnAutoTopUp } from '@/server/payments/checkout/top-up/turn-on';
import { buy, newWallet, type Wallet } from '../../ledger/wallets';
import { send } from '../checkout/checkout-world';
import { TERMS } from './users';

/** A user with credits in an app and a card at the sandbox's processor. */

export const PAYS = '4242 4242 4242 4242';
export const ALWAYS_ASKS = '4000 0027 6000 3184';
export const DECLINES_LATER = '4000 0000 0000 0341';
export const IS_DISPUTED = '4000 0000 0000 0259';

const RETURN_URL = 'https://svc.example/back';

export type Buyer = { wallet: Wallet; userId: string; email: string; customer: string; cardId: string };

export async function newBuyer({ number = PAYS, credits = 1_000 } = {}): Promise<Buyer> {
  const wallet = await newWallet(['A']);
  const { userId } = wallet;
  const email = `${newId('usr').toLowerCase()}@example.com`;
  await prisma().user.create({ data: { id: userId, email } });
  await buy(wallet, 'A', credits);
  const customer = await openCustomer(userId);
  return { wallet, userId, email, customer, cardId: await addCard(customer, number) };
}

async function addCard(processorCustomerId: string, number: string): Promise<string> {
  const setup = await stripeProcessor.createCardSetup({
    processorCustomerId,
    successUrl: RETURN_URL,
    cancelUrl: RETURN_URL,
    language: 'en',
    setupKey: newId('req'),
  });
  if (setup === 'unknown_customer') throw new Error('the customer is known');
  const form = { number, expiry: '12/40', cvc: '123', name: 'Ada Lovelace' };
  const { body } = await send(setup.url, 'POST', {}, form);
  if (String(body.status) === 'challenge') await send(setup.url, 'POST', {}, { challenge: 'complete' });
  return (await stripeProcessor.readCardSetup(setup.setupId))?.cardId ?? '';
}

const cardOf = (number: string) => ({ brand: 'visa', last4: number.slice(-4) });

/** Turns it on as the form does. */
export function turnOn(
  { userId, cardId }: Buyer,
  changes: Partial<TopUpTerms> & { cardId?: string; consent?: string } = {},
  number = PAYS,
): Promise<TurnOnResult> {
  const terms = { ...TERMS, ...changes };
  return turnOnAutoTopUp(
    { userId, sessionId: 'ses_1' },
    { cardId, consent: writeConsent('svc', terms, cardOf(number)), ...terms },
  );
}

/** Turned on, with the bank's agreement if it asks for it. */
export async function newTopUpBuyer(number = PAYS, terms: Partial<TopUpTerms> = {}): Promise<Buyer> {
  const buyer = await newBuyer({ number });
  const result = await turnOn(buyer, terms, number);
  if (result.kind === 'needs_action') await answerBank(result.url, 'complete');
  else expect(result).toEqual({ kind: 'on' });
  return buyer;
}

export async function answerBank(url: string | null, answer: 'complete' | 'fail'): Promise<void> {
  const body = new URLSearchParams({ answer });
  const { status } = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' });
  expect(status).toBe(303);
}
