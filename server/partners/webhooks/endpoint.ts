import { inTransaction, pool, prisma } from '../../base/db';
import { parseEndpointUrl, type UrlRefusalReason } from './endpoint-url';
import { findPublicAddresses } from './find-addresses';
import { newSealedSecret, openSecret } from './signing-secret';

/**
 * An app's webhook endpoint. The partner's pages and the operator's command line pass the id of a
 * partner they have checked.
 */

export type EndpointSet = {
  ok: true;
  /** The normalised URL, as stored. */
  url: string;
  /** The existing secret, if there was one. */
  secret: string;
  /** A sentence when the URL was accepted but something looks wrong. */
  warning: string | null;
};

export type EndpointRefusal = {
  ok: false;
  reason: UrlRefusalReason | 'private_address';
  /** A sentence for people. */
  message: string;
};

const LOOKUP_TIMEOUT_MS = 4_000;

/** Takes effect with the next attempt, including those of pending events. */
export async function setEndpoint(
  partnerId: string,
  text: string,
  webhookBy: string | null = null,
): Promise<EndpointSet | EndpointRefusal> {
  const parsed = parseEndpointUrl(text);
  if (!parsed.ok) return parsed;
  const place = parsed.isLoopback ? 'found' : await look(parsed.url);
  if (place === 'not_public') {
    return {
      ok: false,
      reason: 'private_address',
      message: `${parsed.url.hostname} resolves to an IP address that is not public`,
    };
  }
  return {
    ok: true,
    url: parsed.url.href,
    secret: await save(partnerId, parsed.url.href, webhookBy),
    warning:
      place === 'unknown'
        ? `${parsed.url.hostname} could not be resolved. Deliveries fail until it can be.`
        : null,
  };
}

/** Whether the host is public can change at any time, so every attempt checks again. */
async function look(url: URL): Promise<'found' | 'not_public' | 'unknown'> {
  try {
    const found = await findPublicAddresses(url, AbortSignal.timeout(LOOKUP_TIMEOUT_MS));
    if (found.ok) return 'found';
    return found.reason === 'not_public' ? 'not_public' : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function save(partnerId: string, url: string, webhookBy: string | null): Promise<string> {
  const { rows } = await pool().query<{ secret: Uint8Array }>(
    `UPDATE partner SET webhook_url = $2, webhook_secret = coalesce(webhook_secret, $3), webhook_by = $4,
       webhook_failing_since = NULL
     WHERE id = $1 RETURNING webhook_secret AS secret`,
    [partnerId, url, newSealedSecret(partnerId), webhookBy],
  );
  const [partner] = rows;
  if (partner === undefined) throw new Error('The partner does not exist');
  return openSecret(partner.secret, partnerId);
}

/** Stops pending deliveries permanently. Keeps the secret in case an endpoint is set again. */
export async function clearEndpoint(partnerId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const none = { webhookUrl: null, webhookBy: null, webhookFailingSince: null };
    await tx.partner.update({ where: { id: partnerId }, data: none });
    await tx.event.updateMany({
      where: { partnerId, delivery: { status: 'pending' }, shownBody: { not: null } },
      data: { body: null },
    });
    await tx.delivery.updateMany({ where: { partnerId, status: 'pending' }, data: { status: 'stopped' } });
  });
}

export type Endpoint = {
  /** Null means no deliveries. */
  url: string | null;
  hasSecret: boolean;
  /** A new secret is ready to take over. */
  isRotating: boolean;
  /** The partner is disabled, so deliveries wait. */
  isPaused: boolean;
};

export async function readEndpoint(partnerId: string): Promise<Endpoint> {
  const partner = await prisma().partner.findUniqueOrThrow({ where: { id: partnerId } });
  return {
    url: partner.webhookUrl,
    hasSecret: partner.webhookSecret !== null,
    isRotating: partner.webhookNextSecret !== null,
    isPaused: partner.disabledAt !== null,
  };
}
