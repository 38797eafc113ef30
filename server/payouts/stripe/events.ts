import type Stripe from 'stripe';
import { readSignedEvent } from '../../checkout/stripe/signed-event';
import { settings } from '../../env';
import type { PayoutEvent } from '../payout-processor';

/** The events that the webhook endpoint for connected accounts must send. */
export const CONNECT_EVENTS: readonly string[] = [
  'account.updated',
  'account.application.deauthorized',
  'capability.updated',
  'payout.paid',
  'payout.failed',
];

export function readPayoutEvent(body: string, signature: string | null): PayoutEvent | null {
  const secret = settings().STRIPE_CONNECT_WEBHOOK_SECRET;
  if (secret === undefined) return null;
  const event = readSignedEvent(body, signature, secret);
  return event === null ? null : describeEvent(event);
}

function describeEvent(event: Stripe.Event | Stripe.V2.Core.EventNotification): PayoutEvent {
  const isThin = event.object === 'v2.core.event';
  const accountId = isThin ? event.context?.toString() : event.account;
  const type = event.type.replace(/^v1\./, '');
  if (!accountId || !CONNECT_EVENTS.includes(type)) return { about: 'nothing' };
  return { about: type.startsWith('payout.') ? 'bank_payout' : 'account', accountId };
}
