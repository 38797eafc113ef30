import type Stripe from 'stripe';
import { settings } from '../../../../base/env';
import { isLoopbackHost } from '../../../../base/open-sandboxes';
import { TRANSFER_EVENTS } from '../../../payouts/stripe/events';
import { stripe } from '../client';
import { HEARD_EVENTS } from '../events';
import { couldNotRead, isForbidden, ok, type SetupCheck, warning, wrong } from './setup-check';

const NAME = 'Webhook endpoint';
export const WHERE = 'Stripe dashboard: Developers → Webhooks';

type Endpoint = { url: string; isEnabled: boolean; events: string[]; style: 'snapshot' | 'thin' };

/** Without events, purchases arrive late, and refunds and disputes a day late. */
export async function checkWebhook(): Promise<SetupCheck> {
  const address = `${settings().BASE_URL}/api/stripe`;
  try {
    const endpoints = await listEndpoints();
    const ours = endpoints.filter(({ url }) => isSameAddress(url, address));
    const endpoint = ours.find(({ isEnabled }) => isEnabled) ?? ours[0];
    if (endpoint === undefined) return describeMissing(address);
    const count = ours.filter(({ isEnabled }) => isEnabled).length;
    const needed = settings().PAYOUTS === 'stripe' ? [...HEARD_EVENTS, ...TRANSFER_EVENTS] : HEARD_EVENTS;
    return describeEndpoint(endpoint, { name: NAME, needed, count });
  } catch (error) {
    return couldNotRead(NAME, error, 'Webhook Endpoints');
  }
}

/** Of both of Stripe's lists: the older one does not know endpoints with thin payloads. */
async function listEndpoints(): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for await (const endpoint of stripe().webhookEndpoints.list({ limit: 100 })) {
    const { url, status, enabled_events: events, application } = endpoint;
    // That of payouts, which has its own check.
    if (application !== null) continue;
    endpoints.push({ url, isEnabled: status === 'enabled', events, style: 'snapshot' });
  }
  return [...endpoints, ...(await listThinEndpoints())];
}

async function listThinEndpoints(): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  try {
    for await (const destination of stripe().v2.core.eventDestinations.list({
      include: ['webhook_endpoint.url'],
    }))
      endpoints.push(...readThinEndpoint(destination));
  } catch (error) {
    // A right of its own, which only a thin endpoint needs.
    if (!isForbidden(error)) throw error;
  }
  return endpoints;
}

function readThinEndpoint(destination: Stripe.V2.Core.EventDestination): Endpoint[] {
  const { event_payload, webhook_endpoint, status, enabled_events } = destination;
  if (event_payload !== 'thin' || !webhook_endpoint?.url) return [];
  const events = enabled_events.map((name) => name.replace(/^v1\./, ''));
  return [{ url: webhook_endpoint.url, isEnabled: status === 'enabled', events, style: 'thin' }];
}

/** Stripe reaches the sandbox's own machine under any of its names. */
export function isSameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one)) return false;
  const [left, right] = [one, other].map((url) => new URL(url)) as [URL, URL];
  const isSameHost =
    left.hostname === right.hostname || (isLoopbackHost(left.hostname) && isLoopbackHost(right.hostname));
  const path = ({ pathname }: URL) => pathname.replace(/\/$/, '');
  return (
    isSameHost && left.protocol === right.protocol && left.port === right.port && path(left) === path(right)
  );
}

function describeMissing(address: string): SetupCheck {
  const { hostname } = new URL(address);
  const found = `Stripe sends no events to ${address}.`;
  return isLoopbackHost(hostname)
    ? warning(
        NAME,
        found,
        `Stripe cannot reach this machine. Forward them: stripe listen --forward-to ${address}`,
      )
    : wrong(NAME, found, `Create an endpoint with this URL and the events in docs/payments.md (${WHERE}).`);
}

export function describeEndpoint(
  { url, isEnabled, events, style }: Endpoint,
  { name, needed, count }: { name: string; needed: readonly string[]; count: number },
): SetupCheck {
  const missing = events.includes('*') ? [] : needed.filter((event) => !events.includes(event));
  if (!isEnabled) return wrong(name, `${url} is disabled.`, `Enable it (${WHERE}).`);
  if (missing.length > 0)
    return wrong(name, `${url} does not send ${missing.join(', ')}.`, `Add these events (${WHERE}).`);
  if (count > 1)
    return warning(
      name,
      `${count} endpoints have the URL ${url}, each with its own signing secret.`,
      `Keep the one whose secret is STRIPE_WEBHOOK_SECRET, and delete the others (${WHERE}).`,
    );
  return ok(name, `${url} sends all ${needed.length} events (payload style: ${style}).`);
}
