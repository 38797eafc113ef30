import type Stripe from 'stripe';
import { hasCode, stripe } from '../../checkout/stripe/client';
import type { AccountState, BankPayout, ProcessorAccount } from '../payout-processor';
import { regionOf } from './regions';

/** Recipients at Stripe: they never charge anyone, receive transfers, and Stripe asks them for what it needs. */
export async function createAccount({
  teamId,
  creationKey,
  country,
  email,
}: {
  teamId: string;
  creationKey: string;
  country: string;
  email: string;
}): Promise<{ accountId: string }> {
  const { country: ours } = await stripe().accounts.retrieveCurrent();
  // Across regions Stripe pays only recipients, within one only accounts with the full agreement.
  const isRecipient = regionOf(country) !== regionOf(ours ?? '');
  const { id } = await stripe().accounts.create(
    {
      controller: {
        fees: { payer: 'application' },
        losses: { payments: 'application' },
        requirement_collection: 'stripe',
        stripe_dashboard: { type: 'express' },
      },
      capabilities: { transfers: { requested: true } },
      country,
      email,
      metadata: { team: teamId },
      ...(isRecipient && { tos_acceptance: { service_agreement: 'recipient' } }),
    },
    { idempotencyKey: creationKey },
  );
  return { accountId: id };
}

export async function openOnboarding({
  accountId,
  returnUrl,
  refreshUrl,
}: {
  accountId: string;
  returnUrl: string;
  refreshUrl: string;
}): Promise<{ url: string }> {
  const { url } = await stripe().accountLinks.create({
    account: accountId,
    type: 'account_onboarding',
    collection_options: { fields: 'eventually_due' },
    return_url: returnUrl,
    refresh_url: refreshUrl,
  });
  return { url };
}

export async function openDashboard(accountId: string): Promise<{ url: string }> {
  const { url } = await stripe().accounts.createLoginLink(accountId);
  return { url };
}

export async function readAccount(accountId: string): Promise<ProcessorAccount | null> {
  try {
    const account = await stripe().accounts.retrieve(accountId);
    const { currently_due, past_due, disabled_reason } = account.requirements ?? {};
    return {
      state: describeState(account),
      dueFields: [...new Set([...(past_due ?? []), ...(currently_due ?? [])])],
      disabledReason: disabled_reason ?? null,
      country: account.country ?? '',
    };
  } catch (error) {
    if (isWithoutAccess(error)) return null;
    throw error;
  }
}

/** The capability alone decides whether it can be paid: Stripe may ask for more long before it stops that. */
function describeState({ capabilities, requirements, details_submitted }: Stripe.Account): AccountState {
  if (requirements?.disabled_reason?.startsWith('rejected.')) return 'rejected';
  if (capabilities?.transfers === 'active') return 'active';
  return details_submitted ? 'restricted' : 'onboarding';
}

export async function readBankPayout(accountId: string): Promise<BankPayout | null> {
  try {
    const { data } = await stripe().payouts.list({ limit: 1 }, { stripeAccount: accountId });
    return data[0] === undefined ? null : describeBankPayout(data[0]);
  } catch (error) {
    if (isWithoutAccess(error)) return null;
    throw error;
  }
}

function describeBankPayout({ status, created, failure_message }: Stripe.Payout): BankPayout {
  const state = status === 'paid' ? 'paid' : /failed|canceled/.test(status) ? 'failed' : 'in_transit';
  const failure = state === 'failed' ? (failure_message ?? 'The payout was cancelled.') : null;
  return { state, failure, createdAt: new Date(created * 1000) };
}

/** The account does not exist, was closed, or no longer belongs to us. */
export const isWithoutAccess = (error: unknown): boolean =>
  hasCode(error, 'account_invalid') || hasCode(error, 'resource_missing');
