import type Stripe from 'stripe';
import { settings } from '../../../../base/env';
import { hasCode, stripe } from '../client';
import { isForbidden, ok, type SetupCheck, wrong } from './setup-check';

/**
 * The rights that the service needs, by their names in Stripe's dashboard. Each is tried with an object that
 * cannot exist: a key with the right learns that, one without it is refused first, and nothing changes.
 */
const NONE = 'svc_setup_check';
type Try = (client: Stripe) => Promise<unknown>;

const READS: Readonly<Record<string, Try>> = {
  'Checkout Sessions': (client) => client.checkout.sessions.list({ limit: 1 }),
  PaymentIntents: (client) => client.paymentIntents.retrieve(`pi_${NONE}`),
  'Charges and Refunds': (client) => client.charges.retrieve(`ch_${NONE}`),
  Disputes: (client) => client.disputes.list({ limit: 1 }),
  'Radar early fraud warnings': (client) => client.radar.earlyFraudWarnings.list({ limit: 1 }),
  Events: (client) => client.events.list({ limit: 1 }),
};

const WRITES: Readonly<Record<string, Try>> = {
  'Checkout Sessions': (client) => client.checkout.sessions.expire(`cs_${NONE}`),
  Customers: (client) => client.customers.del(`cus_${NONE}`),
  PaymentIntents: (client) => client.paymentIntents.confirm(`pi_${NONE}`),
  SetupIntents: (client) => client.setupIntents.confirm(`seti_${NONE}`),
  PaymentMethods: (client) => client.paymentMethods.detach(`pm_${NONE}`),
  'Charges and Refunds': (client) => client.refunds.create({ payment_intent: `pi_${NONE}` }),
  'Payment Method Domains': (client) => client.paymentMethodDomains.update(`pmd_${NONE}`, { enabled: true }),
};

/** A saved card is charged with the tax that Stripe calculates. */
const TAX: Readonly<Record<string, Try>> = {
  'Tax Calculations and Transactions': (client) =>
    client.tax.calculations.create({
      currency: 'usd',
      customer: `cus_${NONE}`,
      line_items: [{ amount: 1000, reference: NONE }],
    }),
};

/** Payouts to connected accounts. */
const CONNECT: Readonly<Record<string, Try>> = {
  'Account Links': (client) =>
    client.accountLinks.create({ account: `acct_${NONE}`, type: 'account_onboarding' }),
  'Login Links': (client) => client.accounts.createLoginLink(`acct_${NONE}`),
  Transfers: (client) => client.transfers.createReversal(`tr_${NONE}`),
};

export async function checkRights(): Promise<SetupCheck> {
  const name = 'Rights of the key';
  const { STRIPE_SECRET_KEY, STRIPE_AUTOMATIC_TAX, PAYOUTS } = settings();
  if (STRIPE_SECRET_KEY?.startsWith('sk_')) return ok(name, 'A secret key may do everything.');
  const missing = [
    ...(await findForbidden(READS)).map((right) => `${right}: Read`),
    ...(
      await findForbidden({
        ...WRITES,
        ...(STRIPE_AUTOMATIC_TAX && TAX),
        ...(PAYOUTS === 'stripe' && CONNECT),
      })
    ).map((right) => `${right}: Write`),
  ];
  return missing.length === 0
    ? ok(name, 'The restricted key has all rights that could be checked.')
    : wrong(
        name,
        `The restricted key lacks ${missing.join(', ')}.`,
        'Edit the key (Stripe dashboard: Developers → API keys).',
      );
}

/** One after the other: Stripe's sandboxes allow 25 calls per second. */
async function findForbidden(tries: Readonly<Record<string, Try>>): Promise<string[]> {
  const forbidden: string[] = [];
  for (const [right, attempt] of Object.entries(tries)) {
    try {
      await attempt(stripe());
    } catch (error) {
      // An account that does not exist is refused in the same way as a right that is missing.
      if (isForbidden(error) && !hasCode(error, 'account_invalid')) forbidden.push(right);
    }
  }
  return forbidden;
}
