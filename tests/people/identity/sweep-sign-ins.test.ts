import { afterEach, beforeAll, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS, now, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { sha256 } from '@/server/base/ids';
import { revokeUserKey } from '@/server/people/keys/revoke';
import { sendServiceCode } from '@/server/people/sign-in-to-service';
import { exchangeSignInToken, issueSignInToken } from '@/server/people/sign-in-tokens';
import { sweepSignIns } from '@/server/people/sweep-sign-ins';
import { newDatabase } from '../../harness';
import { liveKeyIds, newAppUser, newDevice, newPartner } from './app-world';
import { openMailbox } from './mailbox';

process.env.LIMIT_CODES_PER_EMAIL_PER_HOUR = '1';
await newDatabase();
beforeAll(() => openMailbox());
afterEach(() => setClock());

const HOUR_MS = 60 * MINUTE_MS;
const start = now();
const wait = (ms: number) => setClock(() => start + ms);

it('codes are kept only while the hourly and daily limits count them', async () => {
  const send = () => sendServiceCode({ email: 'often@example.com', clientIp: '' });
  wait(0);
  await send();
  await sweepSignIns();
  await expect(send()).rejects.toMatchObject({ code: 'rate_limited' });
  wait(HOUR_MS);
  await send();
  wait(DAY_MS - 1);
  await sweepSignIns();
  await expect(send()).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await prisma().loginChallenge.count()).toBe(2);

  wait(DAY_MS + 2 * HOUR_MS);
  await sweepSignIns();
  expect(await prisma().loginChallenge.count()).toBe(1);
  await send();
  wait(3 * DAY_MS);
  await sweepSignIns();
  expect(await prisma().loginChallenge.count()).toBe(0);
});

it('one sweep deletes more rows than one batch', async () => {
  const old = new Date(start - 3 * DAY_MS);
  await prisma().loginChallenge.createMany({
    data: Array.from({ length: 2_500 }, (_, n) => ({
      id: `ch_${n}`,
      email: 'many@example.com',
      mailbox: 'many@example.com',
      codeHash: new Uint8Array(32),
      createdAt: old,
      expiresAt: old,
    })),
  });
  await sweepSignIns();
  expect(await prisma().loginChallenge.count()).toBe(0);
});

it('a token is kept as long as its key, so that a second use still revokes the key', async () => {
  wait(0);
  const partner = await newPartner();
  const user = await newAppUser(partner.id);
  const { sessionId } = await newDevice(user.userId);
  const codeVerifier = 'v'.repeat(43);
  const challenge = sha256(codeVerifier).toString('base64url');
  const origin = 'https://app.example.com';
  const issue = () => inTransaction((tx) => issueSignInToken(tx, { ...user, sessionId, origin, challenge }));
  const { publishableKey } = partner;
  const exchange = (token: string) => exchangeSignInToken({ publishableKey, token, codeVerifier, origin });

  const [kept, ended] = [await issue(), await issue()];
  await issue();
  const live = await exchange(kept);
  const { keyId } = await exchange(ended);
  await inTransaction((tx) => revokeUserKey(tx, { keyId, reason: 'user_revoked' }));
  await sweepSignIns();
  expect(await prisma().signInToken.count()).toBe(3);

  wait(30 * DAY_MS);
  await sweepSignIns();
  expect(await prisma().signInToken.count()).toBe(1);
  expect(await liveKeyIds(user)).toEqual([live.keyId]);
  await expect(exchange(kept)).rejects.toMatchObject({ code: 'invalid_grant' });
  expect(await liveKeyIds(user)).toEqual([]);
  await sweepSignIns();
  expect(await prisma().signInToken.count()).toBe(0);
});
