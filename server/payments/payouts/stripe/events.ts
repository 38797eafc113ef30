import type Stripe from 'stripe';
import { settings } from '../../../base/env';
import { readSignedEvent } from '../../checkout/stripe/signed-event';
import type { PayoutEvent } from '../payout-processor';

/** The events that the webhook endpoint for connected accounts must send. */
export const CONNECT_EVENTS: readonly string[] = [
  'account.updated',
  'account.application.deauthorized',
  'capability.updated',
  'payout.paid',
  'payout.failed',
];

/** Transfers are the operator's own, so the endpoint for payments sends their events. */
export const TRANSFER_EVENTS: readonly string[] = ['transfer.reversed'];

type SignedEvent = Stripe.Event | Stripe.V2.Core.EventNotification;

/** Both endpoints may have one secret, as those of the Stripe CLI do. */
export function readPayoutEvent(body: string, signature: string | null): PayoutEvent | null {
  const { STRIPE_CONNECT_WEBHOOK_SECRET, STRIPE_WEBHOOK_SECRET } = settings();
  const read = (secret: string | undefined) =>
    secret === undefined ? null : readSignedEvent(body, signature, secret);
  const ofAccounts = read(STRIPE_CONNECT_WEBHOOK_SECRET);
  const accountId = ofAccounts && accountOf(ofAccounts);
  if (ofAccounts && accountId) return describeAccountEvent(ofAccounts, accountId);
  const own = read(STRIPE_WEBHOOK_SECRET);
  if (own !== null) return describeOwnEvent(own);
  return ofAccounts && { about: 'nothing' };
}

const typeOf = ({ type }: SignedEvent): string => type.replace(/^v1\./, '');

const accountOf = (event: SignedEvent): string | undefined =>
  event.object === 'v2.core.event' ? event.context?.toString() : event.account;

function describeAccountEvent(event: SignedEvent, accountId: string): PayoutEvent {
  const type = typeOf(event);
  if (!CONNECT_EVENTS.includes(type)) return { about: 'nothing' };
  return { about: type.startsWith('payout.') ? 'bank_payout' : 'account', accountId };
}

function describeOwnEvent(event: SignedEvent): PayoutEvent | null {
  if (!TRANSFER_EVENTS.includes(typeOf(event))) return null;
  const transferId =
    event.object === 'v2.core.event' ? relatedId(event) : (event.data.object as { id: string }).id;
  return transferId ? { about: 'transfer', transferId } : { about: 'nothing' };
}

const relatedId = (event: Stripe.V2.Core.EventNotification): string | undefined =>
  'related_object' in event && event.related_object && 'id' in event.related_object
    ? event.related_object.id
    : undefined;
