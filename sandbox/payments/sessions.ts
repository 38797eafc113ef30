import { requireReadyFor } from './account';
import type { Emulator } from './emulator';
import { buildSession, type Session } from './objects';
import type { Records, SessionRecord } from './records';
import type { SessionParameters } from './session-parameters';
import { invalidRequest } from './stripe-errors';
import { unixSeconds } from './time';

export async function createSession(
  { records, baseUrl }: Emulator,
  parameters: SessionParameters,
): Promise<Session> {
  if (parameters.customer !== undefined) records.require('customer', parameters.customer, 'customer');
  requireReadyFor(records, parameters);
  const session = buildSession(parameters, baseUrl());
  const { product, payment_intent_data: intentData = {}, payment_method_data: method } = parameters;
  await records.save('session', session.id, {
    session,
    product,
    intentData,
    challengedCard: null,
    ...(method && { allowRedisplay: method.allow_redisplay }),
  });
  return session;
}

export async function expireSession(emulator: Emulator, id: string): Promise<Session> {
  const record = emulator.records.require('session', id, 'session');
  if (record.session.status === 'open') return closeExpired(emulator, record);
  throw invalidRequest(
    `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${record.session.status}.`,
  );
}

/** Closes the sessions whose time is up. */
export async function expireDueSessions(emulator: Emulator): Promise<void> {
  const due = emulator.records
    .all('session')
    .filter(({ session }) => session.status === 'open' && session.expires_at <= unixSeconds());
  await Promise.all(due.map((record) => closeExpired(emulator, record)));
}

async function closeExpired({ records, webhooks }: Emulator, record: SessionRecord): Promise<Session> {
  const session: Session = { ...record.session, status: 'expired', url: null };
  await records.save('session', session.id, { ...record, session, challengedCard: null });
  await webhooks.emit('checkout.session.expired', session);
  return session;
}

/** The framed page is addressed by its client secret, as at Stripe. */
export function findByClientSecret(records: Records, clientSecret: string): SessionRecord | null {
  const [id = ''] = clientSecret.split('_secret_');
  const record = records.find('session', id);
  return record?.session.client_secret === clientSecret ? record : null;
}
