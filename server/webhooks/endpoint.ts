import { inTransaction, pool, prisma } from '../db';
import { parseEndpointUrl, type UrlRefusalReason } from './endpoint-url';
import { findPublicAddresses } from './find-addresses';
import { newSealedSecret, openSecret } from './signing-secret';

/**
 * Where an app listens. For the partner's own pages and the operator's command line, which pass
 * the id of the partner that they have checked.
 */

export type EndpointSet = {
  ok: true;
  /** As it is kept: the address in its plain form. */
  url: string;
  /** The secret of before when there was one. */
  secret: string;
  /** One sentence when the address is accepted and yet something looks wrong. */
  warning: string | null;
};

export type EndpointRefusal = {
  ok: false;
  reason: UrlRefusalReason | 'private_address';
  /** One sentence for people. */
  message: string;
};

const LOOK_UP_PATIENCE_MS = 4_000;

/** Takes effect with the next attempt, also of events that wait already. */
export async function setEndpoint(partnerId: string, text: string): Promise<EndpointSet | EndpointRefusal> {
  const parsed = parseEndpointUrl(text);
  if (!parsed.ok) return parsed;
  const place = parsed.isLoopback ? 'found' : await look(parsed.url);
  if (place === 'not_public') {
    return {
      ok: false,
      reason: 'private_address',
      message: `${parsed.url.hostname} leads to an address that is not on the public internet`,
    };
  }
  return {
    ok: true,
    url: parsed.url.href,
    secret: await save(partnerId, parsed.url.href),
    warning:
      place === 'unknown'
        ? `${parsed.url.hostname} could not be found just now: deliveries fail until its name leads somewhere`
        : null,
  };
}

/** Whether the host is public can change any day, so every attempt asks again. */
async function look(url: URL): Promise<'found' | 'not_public' | 'unknown'> {
  try {
    const found = await findPublicAddresses(url, AbortSignal.timeout(LOOK_UP_PATIENCE_MS));
    if (found.ok) return 'found';
    return found.reason === 'not_public' ? 'not_public' : 'unknown';
  } catch {
    return 'unknown';
  }
}

async function save(partnerId: string, url: string): Promise<string> {
  const { rows } = await pool().query<{ secret: Uint8Array }>(
    `UPDATE partner SET webhook_url = $2, webhook_secret = coalesce(webhook_secret, $3)
     WHERE id = $1 RETURNING webhook_secret AS secret`,
    [partnerId, url, newSealedSecret(partnerId)],
  );
  const [partner] = rows;
  if (partner === undefined) throw new Error('There is no such partner');
  return openSecret(partner.secret, partnerId);
}

/** Stops what waits to be delivered, for good. The secret stays for the day an endpoint is set again. */
export async function clearEndpoint(partnerId: string): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.partner.update({ where: { id: partnerId }, data: { webhookUrl: null } });
    await tx.event.updateMany({
      where: { partnerId, delivery: { status: 'pending' }, shownBody: { not: null } },
      data: { body: null },
    });
    await tx.delivery.updateMany({ where: { partnerId, status: 'pending' }, data: { status: 'stopped' } });
  });
}

export type Endpoint = {
  /** Null: no endpoint, no events. */
  url: string | null;
  hasSecret: boolean;
  /** A next secret waits to take over. */
  isRotating: boolean;
  /** The partner is disabled: deliveries wait. */
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
