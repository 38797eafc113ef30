import {
  describeAccount,
  describeTax,
  listEventDestinations,
  listRegistrations,
  listWebhookEndpoints,
} from './account';
import type { Endpoint } from './endpoints';
import { createDomain, listDomains, updateDomain, validateDomain } from './payment-method-domains';

/** What the check of the set-up, the wallets and thin events call. */
export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: /^\/v1\/account$/, run: ({ records }) => describeAccount(records) },
  { method: 'GET', path: /^\/v1\/tax\/settings$/, run: ({ records }) => describeTax(records) },
  { method: 'GET', path: /^\/v1\/tax\/registrations$/, run: ({ records }) => listRegistrations(records) },
  {
    method: 'GET',
    path: /^\/v1\/webhook_endpoints$/,
    run: ({ records, webhooks }) => listWebhookEndpoints(records, webhooks.url),
  },
  {
    method: 'GET',
    path: /^\/v2\/core\/event_destinations$/,
    run: ({ records, webhooks }, form) => listEventDestinations(records, webhooks.url, form),
  },

  {
    method: 'POST',
    path: /^\/v1\/payment_method_domains$/,
    run: (emulator, form) => createDomain(emulator, form),
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_method_domains$/,
    run: (emulator, form) => listDomains(emulator, form),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_method_domains\/(\w+)$/,
    run: (emulator, form, id) => updateDomain(emulator, form, id),
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_method_domains\/(\w+)\/validate$/,
    run: (emulator, _, id) => validateDomain(emulator, id),
  },

  ...(['refund', 'charge', 'dispute', 'early_fraud_warning'] as const).map(
    (kind): Endpoint => ({
      method: 'GET',
      path: new RegExp(`^/v1/(?:radar/)?${kind}s/(\\w+)$`),
      run: ({ records }, _, id) => records.require(kind, id),
    }),
  ),
];
