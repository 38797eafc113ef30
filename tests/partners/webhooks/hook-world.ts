import { afterEach } from 'vitest';
import { now, setClock } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner, type Partner } from '@/server/partners/partner';
import type { AttemptResult } from '@/server/partners/webhooks/attempt';
import { type Claim, claimDue, type Room } from '@/server/partners/webhooks/claim';
import { deliver } from '@/server/partners/webhooks/deliver';
import { setEndpoint } from '@/server/partners/webhooks/endpoint';
import { recordEvent } from '@/server/partners/webhooks/record';

/** Runs after `newDatabase()` and before the settings are read. Each test ends with nothing to deliver. */
export function allowLoopback(): void {
  process.env.WEBHOOK_ALLOW_LOOPBACK = 'true';
  afterEach(async () => {
    setClock();
    await prisma().delivery.updateMany({ where: { status: 'pending' }, data: { status: 'stopped' } });
  });
}

export type Listening = Partner & { secret: string };

/** An app with an endpoint at the address. */
export async function newListeningPartner(url: string): Promise<Listening> {
  const { id } = await createPartner({ name: 'Acme Notes', rateBp: 2_500, origins: [] });
  const set = await setEndpoint(id, url);
  if (!set.ok) throw new Error(set.message);
  return { ...(await prisma().partner.findUniqueOrThrow({ where: { id } })), secret: set.secret };
}

/** An event of the kind that carries a user key. */
export async function recordKey(partnerId: string, userKey = `svc_sk_${newId('key')}`): Promise<string> {
  const data = { user_key: userKey, key_id: newId('key'), user_id: newId('au'), metadata: {} };
  return record(partnerId, (tx) =>
    recordEvent(tx, { partnerId, type: 'user_key.created', causeId: data.key_id, data }),
  );
}

export async function recordTest(partnerId: string, message = 'Hello 👋 / "quoted"'): Promise<string> {
  const data = { partner_id: partnerId, message };
  return record(partnerId, (tx) => recordEvent(tx, { partnerId, type: 'test', causeId: newId('evt'), data }));
}

async function record(
  partnerId: string,
  work: (tx: Parameters<typeof recordEvent>[0]) => Promise<string | null>,
): Promise<string> {
  const id = await inTransaction(work);
  if (id === null) throw new Error(`${partnerId} listens nowhere`);
  return id;
}

export const PLENTY: Room = {
  free: 64,
  freeForSlow: 64,
  perTeam: 64,
  teams: new Map(),
  perEndpoint: 64,
  limited: new Map(),
};

export const takeDue = (): Promise<Claim[]> => claimDue(PLENTY);

/** Runs one round of the worker to its end. */
export async function deliverDue(): Promise<(AttemptResult | null)[]> {
  return Promise.all((await takeDue()).map(deliver));
}

/** Stops the clock; `advance` moves it. */
export function freezeClock(): { advance: (ms: number) => void; at: number } {
  const clock = {
    at: now(),
    advance(ms: number) {
      clock.at += ms;
    },
  };
  setClock(() => clock.at);
  return clock;
}

export const readDelivery = (eventId: string) =>
  prisma().delivery.findUniqueOrThrow({
    where: { eventId },
    include: { event: true, log: { orderBy: { number: 'asc' } } },
  });

/** Ends the lease of a process that died. */
export async function endLeases(): Promise<void> {
  await pool().query(`UPDATE delivery SET lease_until = lease_until - interval '1 minute'`);
}
