import {
  describeAccount,
  describeTax,
  listEventDestinations,
  listRegistrations,
  listWebhookEndpoints,
} from './account';
import {
  createAccount,
  createAccountLink,
  createLoginLink,
  createTransfer,
  listBankPayouts,
  readBalance,
  requireAccount,
  reverseTransfer,
} from './connect';
import { createCustomer, deleteCustomer } from './customers';
import type { Emulator } from './emulator';
import type { Form } from './form-encoding';
import { filterBy, listPage } from './lists';
import { cancelIntent, confirmIntent, createIntent } from './payment-intents';
import { createDomain, listDomains, updateDomain, validateDomain } from './payment-method-domains';
import { createRefund } from './refunds';
import { detachCard, listCards, requireCard } from './saved-cards';
import { readSessionParameters } from './session-parameters';
import { createSession, expireSession } from './sessions';
import { createSetupIntent } from './setup-intents';
import { calculateTax } from './tax';

type Endpoint = {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  /** `account` is the connected account that the call is made for. */
  run(
    emulator: Emulator,
    form: Form,
    id: string,
    innerId: string,
    account: string | null,
  ): object | Promise<object>;
};

/** Takes a path such as `refunds/:id`; `run` receives the ids. */
const endpoint = (method: Endpoint['method'], path: string, run: Endpoint['run']): Endpoint => ({
  method,
  path: new RegExp(`^/v1/${path.replaceAll(':id', '(\\w+)')}$`),
  run,
});

const ENDPOINTS: readonly Endpoint[] = [
  endpoint('POST', 'checkout/sessions', (emulator, form) =>
    createSession(emulator, readSessionParameters(form)),
  ),
  endpoint(
    'GET',
    'checkout/sessions/:id',
    ({ records }, _, id) => records.require('session', id, 'session').session,
  ),
  endpoint('GET', 'checkout/sessions', ({ records }, form) => {
    const sessions = records.all('session').map(({ session }) => session);
    return listPage(filterBy(sessions, form, 'status'), form);
  }),
  endpoint('POST', 'checkout/sessions/:id/expire', (emulator, _, id) => expireSession(emulator, id)),

  endpoint('POST', 'customers', (emulator, form) => createCustomer(emulator, form)),
  endpoint('DELETE', 'customers/:id', (emulator, _, id) => deleteCustomer(emulator, id)),
  endpoint('GET', 'customers/:id/payment_methods', (emulator, form, id) => listCards(emulator, form, id)),
  endpoint(
    'GET',
    'customers/:id/payment_methods/:id',
    ({ records }, _, id, cardId) => requireCard(records, id, cardId).method,
  ),
  endpoint('POST', 'payment_methods/:id/detach', (emulator, _, id) => detachCard(emulator, id)),
  endpoint('POST', 'setup_intents', (emulator, form) => createSetupIntent(emulator, form)),
  endpoint('GET', 'setup_intents/:id', ({ records }, _, id) => records.require('setup_intent', id, 'intent')),
  endpoint('POST', 'payment_intents', (emulator, form) => createIntent(emulator, form)),
  endpoint('GET', 'payment_intents', ({ records }, form) =>
    listPage(filterBy(records.all('payment_intent'), form, 'customer'), form),
  ),
  endpoint('POST', 'payment_intents/:id/confirm', (emulator, form, id) => confirmIntent(emulator, id, form)),
  endpoint('POST', 'payment_intents/:id/cancel', (emulator, _, id) => cancelIntent(emulator, id)),
  endpoint('POST', 'tax/calculations', (emulator, form) => calculateTax(emulator, form)),
  endpoint('GET', 'payment_intents/:id', ({ records }, _, id) =>
    records.require('payment_intent', id, 'intent'),
  ),

  endpoint('POST', 'refunds', (emulator, form) => createRefund(emulator, form)),
  endpoint('GET', 'refunds', ({ records }, form) =>
    listPage(filterBy(records.all('refund'), form, 'payment_intent'), form),
  ),
  endpoint('GET', 'disputes', ({ records }, form) =>
    listPage(filterBy(records.all('dispute'), form, 'payment_intent'), form),
  ),
  endpoint('GET', 'radar/early_fraud_warnings', ({ records }, form) =>
    listPage(filterBy(records.all('early_fraud_warning'), form, 'payment_intent'), form),
  ),
  endpoint('GET', 'events', ({ records }, form) => {
    const types = [form.types ?? []].flat();
    const events = records.all('event').map(({ event }) => event);
    return listPage(types.length === 0 ? events : events.filter(({ type }) => types.includes(type)), form);
  }),

  endpoint('GET', 'account', ({ records }) => describeAccount(records)),
  endpoint('GET', 'tax/settings', ({ records }) => describeTax(records)),
  endpoint('GET', 'tax/registrations', ({ records }) => listRegistrations(records)),
  endpoint('GET', 'webhook_endpoints', ({ records, webhooks }) =>
    listWebhookEndpoints(records, webhooks.url),
  ),
  {
    method: 'GET',
    path: /^\/v2\/core\/event_destinations$/,
    run: ({ records, webhooks }, form) => listEventDestinations(records, webhooks.url, form),
  },
  endpoint('POST', 'payment_method_domains', (emulator, form) => createDomain(emulator, form)),
  endpoint('GET', 'payment_method_domains', (emulator, form) => listDomains(emulator, form)),
  endpoint('POST', 'payment_method_domains/:id', (emulator, form, id) => updateDomain(emulator, form, id)),
  endpoint('POST', 'payment_method_domains/:id/validate', (emulator, _, id) => validateDomain(emulator, id)),
  ...(['refund', 'charge', 'dispute'] as const).map((kind) =>
    endpoint('GET', `${kind}s/:id`, ({ records }, _, id) => records.require(kind, id)),
  ),
  endpoint('GET', 'radar/early_fraud_warnings/:id', ({ records }, _, id) =>
    records.require('early_fraud_warning', id),
  ),

  endpoint('POST', 'accounts', (emulator, form) => createAccount(emulator, form)),
  endpoint('GET', 'accounts/:id', ({ records }, _, id) => requireAccount(records, id).account),
  endpoint('POST', 'accounts/:id/login_links', (emulator, _, id) => createLoginLink(emulator, id)),
  endpoint('POST', 'account_links', (emulator, form) => createAccountLink(emulator, form)),
  endpoint('GET', 'balance', (emulator) => readBalance(emulator)),
  endpoint('GET', 'payouts', (emulator, form, _id, _innerId, account) =>
    listBankPayouts(emulator, form, account),
  ),
  endpoint('POST', 'transfers', (emulator, form) => createTransfer(emulator, form)),
  endpoint('GET', 'transfers/:id', ({ records }, _, id) => records.require('transfer', id)),
  endpoint('GET', 'transfers', ({ records }, form) =>
    listPage(filterBy(records.all('transfer'), form, 'destination', 'transfer_group'), form),
  ),
  endpoint('POST', 'transfers/:id/reversals', (emulator, form, id) => reverseTransfer(emulator, id, form)),
];

export function findEndpoint(method: string | undefined, pathname: string): Endpoint | null {
  return ENDPOINTS.find((known) => known.method === method && known.path.test(pathname)) ?? null;
}
