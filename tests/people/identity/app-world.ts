import { inTransaction, prisma } from '@/server/base/db';
import { invariant } from '@/server/base/errors';
import { openSealed } from '@/server/base/seal';
import { createPartner, type Partner } from '@/server/partners/partner';
import { addRedirect } from '@/server/partners/redirects';
import { newSealedSecret } from '@/server/partners/webhooks/signing-secret';
import { openAppUser } from '@/server/people/app-users';
import { type MintedKey, mintUserKey } from '@/server/people/keys/mint';
import type { Metadata } from '@/server/people/metadata';
import { lockLiveSession, openSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';

let userCount = 0;

/** A partner with a webhook endpoint. */
export async function newPartner(origins: string[] = []): Promise<Partner> {
  const { id } = await createPartner({ name: 'Acme Notes', rateBp: 2_500, origins });
  return prisma().partner.update({
    where: { id },
    data: { webhookUrl: 'https://hooks.example.com/svc', webhookSecret: newSealedSecret(id) },
  });
}

/** Registers whole redirect addresses for a partner. */
export async function registerRedirects(partnerId: string, uris: string[]): Promise<void> {
  for (const uri of uris) await addRedirect(partnerId, uri);
}

export type AppUser = { userId: string; partnerId: string; appUserId: string; email: string };

export async function newAppUser(
  partnerId: string,
  metadata?: Metadata,
  email = `person-${++userCount}@example.com`,
): Promise<AppUser> {
  return inTransaction(async (tx) => {
    const { id: userId } = await openUser(tx, email);
    return { userId, partnerId, email, appUserId: await openAppUser(tx, { userId, partnerId, metadata }) };
  });
}

export function newDevice(userId: string): Promise<{ sessionId: string; token: string }> {
  return inTransaction((tx) => openSession(tx, { userId, userAgent: 'test' }));
}

export function mint({ userId, partnerId }: AppUser, sessionId: string | null = null): Promise<MintedKey> {
  return inTransaction(async (tx) => {
    const session = sessionId === null ? null : await lockLiveSession(tx, sessionId);
    if (sessionId !== null) invariant(session, 'the device is signed in');
    return mintUserKey(tx, { userId, partnerId, session });
  });
}

export async function liveKeyIds({ userId, partnerId }: AppUser): Promise<string[]> {
  const keys = await prisma().userKey.findMany({ where: { userId, partnerId, revokedAt: null } });
  return keys.map((key) => key.id);
}

export type RecordedEvent = { id: string; type: string; created_at: string; data: Record<string, unknown> };

/** Returns the events in the outbox as a delivery would send them. */
export async function recordedEvents(partnerId: string): Promise<RecordedEvent[]> {
  const events = await prisma().event.findMany({ where: { partnerId, delivery: { isNot: null } } });
  return events.map(
    (event) => JSON.parse(openSealed(event.body ?? new Uint8Array(), event.id)) as RecordedEvent,
  );
}
