import { ACCOUNT_ENDPOINTS } from './account-endpoints';
import { CONNECT_ENDPOINTS } from './connect-endpoints';
import { createCustomer, deleteCustomer } from './customers';
import type { Form } from './form-encoding';
import { filterBy, listPage } from './lists';
import { cancelIntent, confirmIntent, createIntent } from './payment-intents';
import { createRefund } from './refunds';
import { detachCard, listCards, requireCard } from './saved-cards';
import { readSessionParameters } from './session-parameters';
import { createSession, type Emulator, expireSession } from './sessions';
import { createSetupIntent } from './setup-intents';
import { calculateTax } from './tax';

export type Endpoint = {
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

  ...ACCOUNT_ENDPOINTS,
  ...CONNECT_ENDPOINTS,
];

export function findEndpoint(method: string | undefined, pathname: string): Endpoint | null {
  return ENDPOINTS.find((known) => known.method === method && known.path.test(pathname)) ?? null;
}
