import type Stripe from 'stripe';
import { type AccountState, accountSchema } from './account-state';
import type { Form } from './form-encoding';
import type { Records } from './records';
import type { SessionParameters } from './session-parameters';
import { invalidRequest, StripeError } from './stripe-errors';

/** The account behind the key: ready to sell, until a test says otherwise. */

const ACCOUNT_ID = 'acct_sandbox';

export const readAccountState = (records: Records): AccountState =>
  records.find('account', ACCOUNT_ID) ?? accountSchema.parse({});

/** Replaces the account: what is not given is as it should be. */
export const changeAccount = (records: Records, state: AccountState): Promise<void> =>
  records.save('account', ACCOUNT_ID, state);

/** Refuses a call as Stripe does for a restricted key without the right. */
export function requireRight(records: Records, call: string): void {
  if (!readAccountState(records).forbidden.some((forbidden) => call.startsWith(forbidden))) return;
  throw new StripeError(403, {
    type: 'invalid_request_error',
    message: `The provided key does not have the required permissions for this endpoint on account '${ACCOUNT_ID}'.`,
  });
}

/** Refuses what a session asks for although the account is not set up for it. */
export function requireReadyFor(
  records: Records,
  { automatic_tax, consent_collection }: SessionParameters,
): void {
  if (automatic_tax?.enabled) requireTaxSettings(records, 'automatic_tax[enabled]');
  if (consent_collection?.terms_of_service === 'required' && !readAccountState(records).has_terms)
    throw invalidRequest(
      'You cannot collect consent to your terms of service unless a URL is set in the Stripe Dashboard. Update your public business information with a Terms of service URL: https://dashboard.stripe.com/settings/public',
      { param: 'consent_collection[terms_of_service]' },
    );
}

export function requireTaxSettings(records: Records, param?: string): void {
  if (readAccountState(records).tax_missing.length === 0) return;
  throw invalidRequest(
    'You must have a valid head office address to enable automatic tax calculation in test mode. Visit https://dashboard.stripe.com/test/settings/tax to update it.',
    param === undefined ? {} : { param },
  );
}

export function describeAccount(records: Records): DescribedAccount {
  const state = readAccountState(records);
  return {
    id: ACCOUNT_ID,
    object: 'account',
    charges_enabled: state.charges_enabled,
    country: state.country,
    default_currency: state.default_currency,
    payouts_enabled: state.payouts_enabled,
    details_submitted: state.charges_enabled,
    requirements: { currently_due: state.currently_due, disabled_reason: null },
    settings: {
      card_payments: { statement_descriptor_prefix: state.statement_descriptor },
      payments: { statement_descriptor: state.statement_descriptor },
    },
  };
}

type DescribedAccount = Pick<
  Stripe.Account,
  | 'id'
  | 'object'
  | 'charges_enabled'
  | 'country'
  | 'default_currency'
  | 'payouts_enabled'
  | 'details_submitted'
> & {
  requirements: Pick<Stripe.Account.Requirements, 'currently_due' | 'disabled_reason'>;
  settings: {
    card_payments: { statement_descriptor_prefix: string | null };
    payments: { statement_descriptor: string | null };
  };
};

export function describeTax(records: Records): object {
  const { tax_missing } = readAccountState(records);
  return {
    object: 'tax.settings',
    defaults: { provider: 'stripe', tax_behavior: null, tax_code: 'txcd_10000000' },
    livemode: false,
    status: tax_missing.length === 0 ? 'active' : 'pending',
    status_details: tax_missing.length === 0 ? { active: {} } : { pending: { missing_fields: tax_missing } },
  };
}

export function listRegistrations(records: Records): object {
  const data = Array.from({ length: readAccountState(records).tax_registrations }, (_, index) => ({
    id: `taxreg_${index}`,
    object: 'tax.registration',
    country: 'AT',
    status: 'active',
  }));
  return { object: 'list', data, has_more: false };
}

/** The older list, which has no thin endpoints. `application` is set for events of connected accounts. */
export function listWebhookEndpoints(records: Records, defaultUrl: string): object {
  const { webhook, connect_webhook } = readAccountState(records);
  const describe = (
    given: { status: string; events: string[]; url?: string | undefined },
    isConnect: boolean,
  ) => ({
    id: isConnect ? 'we_sandbox_connect' : 'we_sandbox',
    object: 'webhook_endpoint',
    api_version: null,
    application: isConnect ? 'ca_sandbox' : null,
    enabled_events: given.events,
    livemode: false,
    status: given.status,
    url: given.url ?? defaultUrl,
  });
  const data = [
    ...(webhook?.style === 'snapshot' ? [describe(webhook, false)] : []),
    ...(connect_webhook === null ? [] : [describe(connect_webhook, true)]),
  ];
  return { object: 'list', data, has_more: false };
}

/** With an address only if `include` asks for it, as at Stripe. */
export function listEventDestinations(records: Records, defaultUrl: string, form: Form): object {
  const { webhook } = readAccountState(records);
  const showsUrl = [form.include ?? []].flat().includes('webhook_endpoint.url');
  const data = webhook === null ? [] : [webhook];
  return {
    data: data.map(({ status, events, style, url }) => ({
      id: 'ed_sandbox',
      object: 'v2.core.event_destination',
      enabled_events: style === 'thin' ? events.map((name) => `v1.${name}`) : events,
      event_payload: style,
      livemode: false,
      status,
      type: 'webhook_endpoint',
      webhook_endpoint: { url: showsUrl ? (url ?? defaultUrl) : null },
    })),
    next_page_url: null,
    previous_page_url: null,
  };
}
