import type Stripe from 'stripe';
import { z } from 'zod';
import { randomBase62 } from '../../server/base/ids';
import { readAccountState } from './account';
import type { Form } from './form-encoding';
import { newStripeId } from './objects';
import { flag, metadata, oneOf, readParameters, url } from './read-parameters';
import type { Records } from './records';
import type { Emulator } from './sessions';
import { invalidRequest, StripeError } from './stripe-errors';
import { unixSeconds } from './time';

/** Accounts of payees, which receive transfers and are paid out to a bank. */

export type ConnectedAccount = Pick<
  Stripe.Account,
  'id' | 'object' | 'country' | 'details_submitted' | 'email' | 'metadata' | 'payouts_enabled'
> & {
  capabilities: { transfers: 'active' | 'inactive' | 'pending' };
  requirements: Pick<Stripe.Account.Requirements, 'currently_due' | 'past_due' | 'disabled_reason'>;
  tos_acceptance: { service_agreement: 'full' | 'recipient' };
};
export type ConnectedAccountRecord = {
  account: ConnectedAccount;
  /** What was transferred and not paid out to the bank, in cents. */
  balance: number;
  /** The payee no longer lets the platform use it. */
  isDeauthorized: boolean;
};
export type AccountLink = {
  id: string;
  account: string;
  return_url: string;
  refresh_url: string;
  expires_at: number;
  isUsed: boolean;
};

const NEW_DUE = ['business_profile.url', 'external_account', 'individual.id_number', 'tos_acceptance.date'];
const LINK_SECONDS = 300;

/** Only the kind of account that svc creates: onboarded by Stripe, with the Express dashboard. */
const accountSchema = z.strictObject({
  controller: z.strictObject({
    fees: z.strictObject({ payer: z.literal('application') }),
    losses: z.strictObject({ payments: z.literal('application') }),
    requirement_collection: z.literal('stripe'),
    stripe_dashboard: z.strictObject({ type: z.literal('express') }),
  }),
  capabilities: z.strictObject({ transfers: z.strictObject({ requested: flag }) }),
  country: z.string().regex(/^(?!ZZ)[A-Z]{2}$/, { error: 'Country is invalid' }),
  email: z.email({ error: 'Invalid email address' }),
  metadata: metadata.default({}),
  tos_acceptance: z
    .strictObject({ service_agreement: oneOf('full', 'recipient') })
    .default({ service_agreement: 'full' }),
});

export async function createAccount({ records }: Emulator, form: Form): Promise<ConnectedAccount> {
  if (!readAccountState(records).has_connect)
    throw invalidRequest(
      'You can only create new accounts if you have signed up for Connect, which you can do at https://dashboard.stripe.com/connect.',
    );
  const { country, email, metadata: given, tos_acceptance } = readParameters(accountSchema, form);
  const account: ConnectedAccount = {
    id: `acct_${randomBase62(16)}`,
    object: 'account',
    capabilities: { transfers: 'inactive' },
    country,
    details_submitted: false,
    email,
    metadata: given,
    payouts_enabled: false,
    requirements: {
      currently_due: NEW_DUE,
      past_due: NEW_DUE,
      disabled_reason: 'requirements.past_due',
    },
    tos_acceptance,
  };
  await records.save('connected_account', account.id, { account, balance: 0, isDeauthorized: false });
  return account;
}

/** As Stripe refuses an account that is unknown, or whose access was revoked. */
export function requireAccount(records: Records, id: string): ConnectedAccountRecord {
  const found = records.find('connected_account', id);
  if (found !== null && !found.isDeauthorized) return found;
  throw new StripeError(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  });
}

const linkSchema = z.strictObject({
  account: z.string(),
  type: z.literal('account_onboarding'),
  collection_options: z.strictObject({ fields: oneOf('currently_due', 'eventually_due') }).optional(),
  return_url: url,
  refresh_url: url,
});

export async function createAccountLink({ records, baseUrl }: Emulator, form: Form): Promise<object> {
  const { account, return_url, refresh_url } = readParameters(linkSchema, form);
  requireAccount(records, account);
  const created = unixSeconds();
  const id = newStripeId('acclink');
  const expires_at = created + LINK_SECONDS;
  await records.save('account_link', id, { id, account, return_url, refresh_url, expires_at, isUsed: false });
  return { object: 'account_link', created, expires_at, url: `${baseUrl()}/connect/onboarding/${id}` };
}

export function createLoginLink({ records, baseUrl }: Emulator, id: string): object {
  const { account } = requireAccount(records, id);
  if (!account.details_submitted)
    throw invalidRequest(
      'Cannot create a login link for an account that has not completed onboarding. Use Account Links instead.',
    );
  return { object: 'login_link', created: unixSeconds(), url: `${baseUrl()}/connect/dashboard/${id}` };
}

export const connectAccountSchema = z.strictObject({
  id: z.string(),
  state: z.enum(['onboarding', 'active', 'pending', 'restricted', 'rejected', 'deauthorized']),
  /** The fields that are due; of a restricted account, one by default. */
  due: z.array(z.string()).optional(),
});
type AccountChange = z.output<typeof connectAccountSchema>;

/** Decides about an account as Stripe does after the onboarding or a review, and sends the events. */
export async function changeConnectedAccount(
  { records, webhooks }: Emulator,
  change: AccountChange,
): Promise<void> {
  const record = requireAccount(records, change.id);
  if (change.state === 'deauthorized') {
    await records.save('connected_account', change.id, { ...record, isDeauthorized: true });
    const application = { id: 'ca_sandbox', object: 'application' };
    return webhooks.emit('account.application.deauthorized', application, change.id);
  }
  const account: ConnectedAccount = { ...record.account, ...describeState(change.state, change.due) };
  await records.save('connected_account', account.id, { ...record, account });
  if (record.account.capabilities.transfers !== account.capabilities.transfers) {
    const status = account.capabilities.transfers;
    const capability = { id: 'transfers', object: 'capability', account: account.id, status };
    await webhooks.emit('capability.updated', capability, account.id);
  }
  await webhooks.emit('account.updated', account, account.id);
}

type Decided = Pick<
  ConnectedAccount,
  'capabilities' | 'details_submitted' | 'payouts_enabled' | 'requirements'
>;

function describeState(state: Exclude<AccountChange['state'], 'deauthorized'>, due?: string[]): Decided {
  const defaults = { onboarding: NEW_DUE, restricted: ['individual.verification.document'] };
  const currently_due = due ?? (state in defaults ? defaults[state as keyof typeof defaults] : []);
  const reasons = {
    onboarding: 'requirements.past_due',
    active: null,
    pending: 'requirements.pending_verification',
    restricted: 'requirements.past_due',
    rejected: 'rejected.terms_of_service',
  } as const;
  const isActive = state === 'active';
  return {
    capabilities: { transfers: isActive ? 'active' : state === 'pending' ? 'pending' : 'inactive' },
    details_submitted: state !== 'onboarding',
    payouts_enabled: isActive,
    requirements: {
      currently_due,
      past_due: isActive ? [] : currently_due,
      disabled_reason: reasons[state],
    },
  };
}
