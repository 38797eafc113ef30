import { describe, expect, it } from 'vitest';
import { DAY_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { checkLedger } from '@/server/ledger';
import { disablePartner } from '@/server/partners/partner';
import { moveToOwner } from '@/server/partners/teams';
import { openAppUser } from '@/server/people/app-users';
import { findAppOfUser, listAppsOfUser } from '@/server/people/apps-of-user';
import { deleteAccount } from '@/server/people/delete-account';
import { listDevices, logOutAllDevices, logOutDevice } from '@/server/people/devices';
import { revokeKey } from '@/server/people/keys/revoke';
import type { Metadata } from '@/server/people/metadata';
import { findSession } from '@/server/people/sessions';
import { openUser } from '@/server/people/users';
import { newDatabase } from '../../harness';
import { newPerson } from '../../harness/people';
import {
  type AppUser,
  liveKeyIds,
  mint,
  newAppUser,
  newDevice,
  newPartner,
  recordedEvents,
} from './app-world';

await newDatabase();

async function userWithTwoDevices(): Promise<{ user: AppUser; phone: string; laptop: string }> {
  const user = await newAppUser((await newPartner()).id);
  const [phone, laptop] = [await newDevice(user.userId), await newDevice(user.userId)];
  return { user, phone: phone.sessionId, laptop: laptop.sessionId };
}

const revocations = async (partnerId: string) =>
  (await recordedEvents(partnerId))
    .filter(({ type }) => type === 'user_key.revoked')
    .map(({ data }) => [data.key_id, data.reason]);

describe('devices', () => {
  it('revoke their keys in every app when logged out, without affecting other devices', async () => {
    const { user, phone, laptop } = await userWithTwoDevices();
    const elsewhere = { ...user, partnerId: (await newPartner()).id };
    await inTransaction(async (tx) => {
      await openAppUser(tx, elsewhere);
    });
    const lost = [(await mint(user, phone)).keyId, (await mint(elsewhere, phone)).keyId];
    const kept = (await mint(user, laptop)).keyId;
    expect((await listDevices(user.userId)).map(({ apps }) => apps.length).sort()).toEqual([1, 2]);

    expect(await logOutDevice(user.userId, phone)).toBe(true);
    expect(await liveKeyIds(user)).toEqual([kept]);
    expect(await liveKeyIds(elsewhere)).toEqual([]);
    expect(await revocations(user.partnerId)).toEqual([[lost[0], 'session_revoked']]);
    expect(await revocations(elsewhere.partnerId)).toEqual([[lost[1], 'session_revoked']]);
    expect((await listDevices(user.userId)).map(({ sessionId }) => sessionId)).toEqual([laptop]);
    expect(await logOutDevice(user.userId, phone)).toBe(false);
  });

  it('can all be logged out together, with or without the current one', async () => {
    const { user, phone, laptop } = await userWithTwoDevices();
    await mint(user, phone);
    const kept = (await mint(user, laptop)).keyId;
    expect(await logOutAllDevices(user.userId, { except: laptop })).toBe(1);
    expect(await liveKeyIds(user)).toEqual([kept]);
    expect(await logOutAllDevices(user.userId)).toBe(1);
    expect([await liveKeyIds(user), await listDevices(user.userId)]).toEqual([[], []]);
  });

  it('are signed out after a month without use', async () => {
    const user = await newAppUser((await newPartner()).id);
    const { token } = await newDevice(user.userId);
    const start = now();
    setClock(() => start + 31 * DAY_MS);
    expect([await listDevices(user.userId), await findSession(token)]).toEqual([[], null]);
    setClock();
  });
});

describe('keys', () => {
  it('are listed with their app, its state and the device, and can be revoked by their owner', async () => {
    const { user, phone } = await userWithTwoDevices();
    const { keyId, userKey } = await mint(user, phone);
    await disablePartner(user.partnerId);
    const app = await findAppOfUser(user.userId, user.partnerId);
    expect(await findAppOfUser(user.userId, (await newPartner()).id)).toBeNull();
    expect(app).toMatchObject({ partnerId: user.partnerId, name: 'Acme Notes', isSuspended: true });
    expect(app?.keys).toMatchObject([{ keyId, last4: userKey.slice(-4), userAgent: 'test' }]);

    expect(await revokeKey(user.userId, keyId)).toBe(true);
    expect(await revokeKey(user.userId, keyId)).toBe(false);
    expect(await revocations(user.partnerId)).toEqual([[keyId, 'user_revoked']]);
    expect((await listAppsOfUser(user.userId))[0]?.keys).toEqual([]);
  });
});

it("another user's device or key is not found and not changed", async () => {
  const { user, phone } = await userWithTwoDevices();
  const { keyId } = await mint(user, phone);
  const stranger = await newAppUser(user.partnerId);
  expect(await logOutDevice(stranger.userId, phone)).toBe(false);
  expect(await revokeKey(stranger.userId, keyId)).toBe(false);
  expect(await liveKeyIds(user)).toEqual([keyId]);
  expect(await listDevices(user.userId)).toHaveLength(2);
});

/** A checkout window with a signed-in user and the app's metadata about them. */
function createVisit(userId: string, metadata: Metadata) {
  const expiresAt = new Date(now() + DAY_MS);
  const facts = { partnerId: 'prt_any', origin: 'https://app.example', display: 'popup', challenge: '' };
  const tokenHash = new Uint8Array(32);
  return prisma().checkoutVisit.create({
    data: { id: newId('ckv'), userId, metadata, tokenHash, expiresAt, ...facts },
  });
}

describe('deleting an account', () => {
  it('erases the address and ends devices and keys, and keeps the ledger intact', async () => {
    const person = await newPerson({ credits: 10 });
    const { token } = await newDevice(person.userId);
    const { email } = await prisma().user.findUniqueOrThrow({ where: { id: person.userId } });
    await createVisit(person.userId, { name: 'Ada' });
    await deleteAccount(person.userId);

    expect(await findSession(token)).toBeNull();
    expect(await prisma().userKey.count({ where: { userId: person.userId, revokedAt: null } })).toBe(0);
    const rows = await prisma().user.findMany({ where: { email } });
    expect(rows).toEqual([]);
    expect(await prisma().checkoutVisit.count()).toBe(0);
    expect(await prisma().ledgerTransaction.count({ where: { userId: person.userId } })).toBe(1);
    expect((await checkLedger()).differences).toEqual([]);

    const again = await inTransaction((tx) => openUser(tx, email));
    expect(again.id).not.toBe(person.userId);
    expect(await listAppsOfUser(again.id)).toEqual([]);
  });

  it('is refused to the owner of an app', async () => {
    const user = await newAppUser((await newPartner()).id);
    await moveToOwner(user.partnerId, user.email);
    await expect(deleteAccount(user.userId)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await prisma().user.count({ where: { email: user.email } })).toBe(1);
    await expect(deleteAccount(newId('usr'))).rejects.toThrow();
  });
});
