import { afterEach, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { openSealed, seal } from '@/server/base/seal';
import { disablePartner, enablePartner } from '@/server/partners/partner';
import { recordEvent } from '@/server/partners/webhooks/record';
import { requireUserKey } from '@/server/people/access/authenticate';
import { openAppUser } from '@/server/people/app-users';
import { MAX_LIVE_KEYS } from '@/server/people/keys/mint';
import { revokeSession, revokeUserKey } from '@/server/people/keys/revoke';
import { findSession, lockLiveSession, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { liveKeyIds, mint, newAppUser, newDevice, newPartner, recordedEvents } from './app-world';

await newDatabase();

afterEach(() => setClock());

const withKey = (key: string) =>
  new Request('http://localhost/', { headers: { authorization: `Bearer ${key}` } });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

/** The errors of both database clients after waiting too long for a connection or a transaction. */
const BUSY = /timeout exceeded when trying to connect|P2028|Transaction API error/;

describe('user keys', () => {
  it('identify their user and app, and are stored as a hash only', async () => {
    const user = await newAppUser((await newPartner()).id);
    const { userKey, keyId, appUserId } = await mint(user);
    expect(userKey).toMatch(/^svc_sk_[0-9A-Za-z]{49}$/);
    expect(await requireUserKey(withKey(userKey))).toEqual({
      userId: user.userId,
      partnerId: user.partnerId,
      keyId,
      appUserId: user.appUserId,
      lineage: [],
      models: null,
    });
    expect(appUserId).toBe(user.appUserId);
    const row = await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } });
    expect(JSON.stringify(row)).not.toContain(userKey.slice(7, 20));
    expect(row.last4).toBe(userKey.slice(-4));
  });

  it('are refused with the same error when unknown, mistyped or revoked', async () => {
    const user = await newAppUser((await newPartner()).id);
    const { userKey, keyId } = await mint(user);
    const mistyped = userKey.slice(0, -1) + (userKey.endsWith('a') ? 'b' : 'a');
    expect(await codeOf(requireUserKey(withKey(mistyped)))).toBe('invalid_user_key');
    expect(await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }))).toBe(true);
    expect(await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }))).toBe(false);
    expect(await codeOf(requireUserKey(withKey(userKey)))).toBe('invalid_user_key');
  });

  it('are distinguished from other keys, which the error does not repeat', async () => {
    const messageOf = (key: string) => requireUserKey(withKey(key)).catch(({ message }) => message);
    expect(await messageOf('svc_pk_secret')).toContain('Publishable keys');
    expect(await messageOf('sk-proj-secret')).toContain('svc_sk_');
    for (const key of ['svc_pk_secret', 'sk-proj-secret', 'svc_sk_secret'])
      expect(await messageOf(key)).not.toContain('secret');
  });

  it('are suspended while their app is disabled, and work again afterwards', async () => {
    const partner = await newPartner();
    const { userKey } = await mint(await newAppUser(partner.id));
    await disablePartner(partner.id);
    expect(await codeOf(requireUserKey(withKey(userKey)))).toBe('partner_disabled');
    await enablePartner(partner.id);
    expect(await codeOf(requireUserKey(withKey(userKey)))).toBe('no error');
    expect((await recordedEvents(partner.id)).map((event) => event.type)).toEqual(['user_key.created']);
  });

  it('record their last use, to the minute', async () => {
    const { userKey, keyId } = await mint(await newAppUser((await newPartner()).id));
    const lastUsed = async () =>
      (await prisma().userKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt;
    await requireUserKey(withKey(userKey));
    expect(await lastUsed()).toBeNull();
    await prisma().userKey.update({
      where: { id: keyId },
      data: { createdAt: new Date(now() - 5 * MINUTE_MS) },
    });
    await requireUserKey(withKey(userKey));
    expect(Math.abs(now() - ((await lastUsed())?.getTime() ?? 0))).toBeLessThan(MINUTE_MS);
  });
});

describe('the eleventh key', () => {
  it('evicts the key idle longest, and the others keep working', async () => {
    const partner = await newPartner();
    const user = await newAppUser(partner.id, { plan: 'pro' });
    const start = now() - DAY_MS;
    const keys = [];
    for (let n = 0; n < MAX_LIVE_KEYS; n++) {
      setClock(() => start + n * MINUTE_MS);
      keys.push(await mint(user));
    }
    setClock();
    // The oldest key was used a moment ago, so the second oldest is now the idlest.
    await prisma().userKey.update({ where: { id: keys[0]?.keyId ?? '' }, data: { lastUsedAt: new Date() } });
    const eleventh = await mint(user);

    const live = await liveKeyIds(user);
    expect(live).toHaveLength(MAX_LIVE_KEYS);
    expect(live).toContain(eleventh.keyId);
    expect(live).toContain(keys[0]?.keyId);
    expect(live).not.toContain(keys[1]?.keyId);
    const revoked = (await recordedEvents(partner.id)).filter((event) => event.type === 'user_key.revoked');
    expect(revoked.map((event) => event.data)).toEqual([
      { key_id: keys[1]?.keyId, user_id: user.appUserId, reason: 'evicted', metadata: { plan: 'pro' } },
    ]);
  });

  it('evicts the idlest key even if all were used within one minute', async () => {
    const user = await newAppUser((await newPartner()).id);
    const keys = [];
    for (let n = 0; n < MAX_LIVE_KEYS; n++) keys.push(await mint(user));
    const [first, ...later] = keys;
    // The first key is also the last one used; the second was not used again.
    for (const key of [...keys, first, ...later.slice(1)]) await requireUserKey(withKey(key?.userKey ?? ''));
    await mint(user);
    const live = await liveKeyIds(user);
    expect(keys.filter(({ keyId }) => !live.includes(keyId))).toEqual([later[0]]);
  });

  it('is never evicted itself, even if the clock of its instance is behind', async () => {
    const user = await newAppUser((await newPartner()).id);
    for (let n = 0; n < MAX_LIVE_KEYS; n++) await mint(user);
    setClock(() => Date.UTC(2020, 0, 1));
    const eleventh = await mint(user);
    expect(await liveKeyIds(user)).toContain(eleventh.keyId);
  });

  it('is counted per user and app', async () => {
    const [one, other] = [await newPartner(), await newPartner()];
    const user = await newAppUser(one.id);
    const otherUser = await newAppUser(one.id);
    const elsewhere = { ...user, partnerId: other.id };
    await inTransaction((tx) => openAppUser(tx, elsewhere));
    const kept = [await mint(otherUser), await mint(elsewhere)];
    for (let n = 0; n <= MAX_LIVE_KEYS; n++) await mint(user);
    expect([...(await liveKeyIds(otherUser)), ...(await liveKeyIds(elsewhere))]).toEqual(
      kept.map((key) => key.keyId),
    );
  });

  it('leaves at most 10 live keys after 20 parallel mints, with one event per evicted key', async () => {
    const partner = await newPartner();
    const user = await newAppUser(partner.id);
    // On a busy machine some mints time out waiting for a connection; they have no effect.
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => mint(user)));
    const minted = settled.flatMap((mint) => (mint.status === 'fulfilled' ? [mint.value] : []));
    const refusals = settled.flatMap((mint) => (mint.status === 'rejected' ? [String(mint.reason)] : []));
    for (const refusal of refusals) expect(refusal).toMatch(BUSY);
    expect(minted).not.toEqual([]);
    const live = await liveKeyIds(user);
    expect(live).toHaveLength(Math.min(minted.length, MAX_LIVE_KEYS));
    const events = await recordedEvents(partner.id);
    const keyIdsIn = (type: string) =>
      events.filter((event) => event.type === type).map((event) => event.data.key_id);
    expect(keyIdsIn('user_key.created').sort()).toEqual(minted.map((key) => key.keyId).sort());
    expect(keyIdsIn('user_key.revoked').sort()).toEqual(
      minted
        .map((key) => key.keyId)
        .filter((id) => !live.includes(id))
        .sort(),
    );
  });
});

describe('devices', () => {
  it('revoke exactly the keys they minted, in every app, when logged out', async () => {
    const partner = await newPartner();
    const user = await newAppUser(partner.id);
    const [lost, kept] = [await newDevice(user.userId), await newDevice(user.userId)];
    const onLost = [await mint(user, lost.sessionId), await mint(user, lost.sessionId)];
    const onKept = await mint(user, kept.sessionId);

    await inTransaction((tx) => revokeSession(tx, lost.sessionId));
    expect(await liveKeyIds(user)).toEqual([onKept.keyId]);
    expect(await findSession(lost.token)).toBeNull();
    expect(await findSession(kept.token)).toMatchObject({ userId: user.userId, email: user.email });
    const revoked = (await recordedEvents(partner.id)).filter((event) => event.type === 'user_key.revoked');
    expect(revoked.map((event) => event.data.key_id).sort()).toEqual(onLost.map((key) => key.keyId).sort());
    expect(new Set(revoked.map((event) => event.data.reason))).toEqual(new Set(['session_revoked']));
    expect(await inTransaction((tx) => lockLiveSession(tx, lost.sessionId))).toBeNull();
  });

  it('have no live key after a logout in parallel with mints', async () => {
    const user = await newAppUser((await newPartner()).id);
    const { sessionId } = await newDevice(user.userId);
    const mints = Array.from({ length: 8 }, () => mint(user, sessionId).catch(() => null));
    await Promise.all([...mints, inTransaction((tx) => revokeSession(tx, sessionId))]);
    expect(await liveKeyIds(user)).toEqual([]);
  });

  it('expire after 30 days without use, and after 180 days in any case', async () => {
    const user = await newAppUser((await newPartner()).id);
    const start = now();
    setClock(() => start);
    const { token } = await newDevice(user.userId);
    const step = SESSION_IDLE_MS - MINUTE_MS;
    for (let at = start + step; at < start + SESSION_LIFETIME_MS; at += step) {
      setClock(() => at);
      expect(await findSession(token)).not.toBeNull();
    }
    setClock(() => start + SESSION_LIFETIME_MS);
    expect(await findSession(token)).toBeNull();

    setClock(() => start);
    const idle = await newDevice(user.userId);
    setClock(() => start + SESSION_IDLE_MS);
    expect(await findSession(idle.token)).toBeNull();
    expect(await findSession('nothing')).toBeNull();
  });
});

describe('accounts', () => {
  it('are unique per e-mail address, even if 20 requests open one in parallel', async () => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => inTransaction((tx) => openUser(tx, 'race@example.com'))),
    );
    expect(new Set(opened.map((user) => user.id)).size).toBe(1);
  });
});

describe('the outbox of events', () => {
  it('carries the plaintext key and the latest metadata, sealed at rest', async () => {
    const partner = await newPartner();
    const user = await newAppUser(partner.id, { plan: 'free' });
    const { userKey, keyId } = await mint(user);
    const [event] = await recordedEvents(partner.id);
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      type: 'user_key.created',
      data: { user_key: userKey, key_id: keyId, user_id: user.appUserId, metadata: { plan: 'free' } },
    });
    expect(new Date(event?.created_at ?? '').toISOString()).toBe(event?.created_at);
    const row = await prisma().event.findUniqueOrThrow({ where: { id: event?.id ?? '' } });
    expect(Buffer.from(row.body ?? []).toString('latin1')).not.toContain(userKey);
  });

  it('records an event once, and none for a partner without a signing secret', async () => {
    const partner = await newPartner();
    const test = {
      partnerId: partner.id,
      type: 'test',
      causeId: 'once',
      data: { partner_id: partner.id, message: 'hi' },
    } as const;
    await Promise.all(Array.from({ length: 5 }, () => inTransaction((tx) => recordEvent(tx, test))));
    expect(await recordedEvents(partner.id)).toHaveLength(1);

    await prisma().partner.update({ where: { id: partner.id }, data: { webhookSecret: null } });
    await inTransaction((tx) => recordEvent(tx, { ...test, causeId: 'twice' }));
    expect(await prisma().event.count({ where: { partnerId: partner.id } })).toBe(1);
  });

  it('decrypts a body for its own row only, and detects a changed byte', () => {
    const sealed = seal('{"a":"é"}', 'evt_1');
    expect(openSealed(sealed, 'evt_1')).toBe('{"a":"é"}');
    expect(() => openSealed(sealed, 'evt_2')).toThrow();
    for (const at of [0, 1, 13, sealed.length - 1]) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => openSealed(changed, 'evt_1')).toThrow();
    }
  });
});
