import { afterEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, now, SECOND_MS, setClock } from '@/server/base/clock';
import { inTransaction, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { CLIENT_IP_HEADER } from '@/server/base/http/client-ip';
import { disablePartner } from '@/server/partners/partner';
import { decideDevice, findWaitingDevice } from '@/server/people/device-authorization';
import { listDevices } from '@/server/people/devices';
import { revokeSession } from '@/server/people/keys/revoke';
import { sweepSignIns } from '@/server/people/sweep-sign-ins';
import { newUserCode } from '@/server/people/user-codes';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { liveKeyIds, newAppUser, newDevice, newPartner } from './app-world';
import { OauthClient } from './oauth-client';

await newDatabase();
const { url } = await startApi();
settings().BASE_URL = url;
const partner = await newPartner(['https://app.example.com']);
const cli = await OauthClient.discover(url, partner.publishableKey);
afterEach(() => setClock());

/** A signed-in user in front of a browser, each on a network of their own. */
let browsers = 0;
async function newReader(partnerId = partner.id) {
  const user = await newAppUser(partnerId);
  const { sessionId } = await newDevice(user.userId);
  return { ...user, sessionId, clientIp: `198.51.100.${++browsers}` };
}

const later = (ms: number) => {
  const start = now();
  setClock(() => start + ms);
};

describe('a program without a browser', () => {
  test('waits until its user allows it, and then receives a key that works', async () => {
    const begun = await cli.beginOnDevice();
    expect(begun).toMatchObject({ expires_in: 600, interval: 5, verification_uri: `${url}/device` });
    expect(begun.verification_uri_complete).toBe(`${url}/device?user_code=${begun.user_code}`);
    expect(await cli.errorOfPoll(begun.device_code)).toBe('authorization_pending');
    const reader = await newReader();
    const found = await findWaitingDevice(begun.user_code.toLowerCase(), reader);
    expect(found).toMatchObject({ appName: 'Acme Notes', userCode: begun.user_code, isElsewhere: true });
    const nearby = await findWaitingDevice(begun.user_code, { ...reader, clientIp: '' });
    expect(nearby?.isElsewhere).toBe(false);
    expect(await decideDevice(begun.user_code, reader, 'allow')).toBe(true);
    const token = await cli.poll(begun.device_code);
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'credits', user_id: reader.appUserId });
    expect(await liveKeyIds(reader)).toEqual([token.key_id]);
  });

  test('may try to authenticate first, as golang.org/x/oauth2 does: that is refused and no poll', async () => {
    const begun = await cli.beginOnDevice();
    const basic = `Basic ${Buffer.from(`${partner.publishableKey}:`).toString('base64')}`;
    const post = (path: string, fields: Record<string, string>) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: basic },
        body: new URLSearchParams({ client_id: partner.publishableKey, ...fields }),
      });
    const poll = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: begun.device_code,
    };
    const code = { grant_type: 'authorization_code', code: 'x', code_verifier: 'x' };
    for (const [path, fields] of [
      ['/oauth/token', poll],
      ['/oauth/token', code],
      ['/oauth/token', {}],
      ['/oauth/device', {}],
      ['/oauth/revoke', { token: 'x' }],
    ] as const) {
      const response = await post(path, fields);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(await response.json()).toMatchObject({ error: 'invalid_client' });
    }
    expect(await cli.errorOfPoll(begun.device_code)).toBe('authorization_pending');
  });

  test('is a device of its own: it outlives the browser’s session, and is logged out by itself', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    await decideDevice(begun.user_code, reader, 'allow');
    await cli.poll(begun.device_code);
    await inTransaction((tx) => revokeSession(tx, reader.sessionId));
    expect(await liveKeyIds(reader)).toHaveLength(1);
    const [device] = await listDevices(reader.userId);
    await inTransaction((tx) => revokeSession(tx, device?.sessionId ?? ''));
    expect(await liveKeyIds(reader)).toEqual([]);
  });

  test('that does not wait is slowed down by five seconds each time', async () => {
    const { device_code: code } = await cli.beginOnDevice();
    const start = now();
    const pollAt = (seconds: number) => {
      setClock(() => start + seconds * SECOND_MS);
      return cli.errorOfPoll(code);
    };
    const waits = [];
    for (const seconds of [0, 5, 9, 19, 28, 43]) waits.push(await pollAt(seconds));
    const [early, pending] = ['slow_down', 'authorization_pending'];
    expect(waits).toEqual([pending, pending, early, pending, early, pending]);
  });

  test('gets no key when the user refuses', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    expect(await decideDevice(begun.user_code, reader, 'refuse')).toBe(true);
    expect(await cli.errorOfPoll(begun.device_code)).toBe('access_denied');
    expect(await liveKeyIds(reader)).toEqual([]);
  });

  test('gets no key when the user signs out before it asks @attack', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    await decideDevice(begun.user_code, reader, 'allow');
    await inTransaction((tx) => revokeSession(tx, reader.sessionId));
    expect(await cli.errorOfPoll(begun.device_code)).toBe('access_denied');
  });

  test('has ten minutes, and so has its user', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    later(10 * MINUTE_MS);
    expect(await findWaitingDevice(begun.user_code, reader)).toBeNull();
    expect(await decideDevice(begun.user_code, reader, 'allow')).toBe(false);
    expect(await cli.errorOfPoll(begun.device_code)).toBe('expired_token');
  });

  test('gets one key, which a second use of its code revokes, also after an hour @attack', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    await decideDevice(begun.user_code, reader, 'allow');
    const { key_id: mintedKeyId } = await cli.poll(begun.device_code);
    later(3 * 60 * MINUTE_MS);
    await sweepSignIns();
    expect(await liveKeyIds(reader)).toHaveLength(1);
    expect(await cli.errorOfPoll(begun.device_code)).toBe('invalid_grant');
    expect(await liveKeyIds(reader)).toEqual([]);
    await sweepSignIns();
    const kept = { mintedKeyId: String(mintedKeyId) };
    expect(await prisma().deviceAuthorization.count({ where: kept })).toBe(0);
  });

  test('gets one key at most when it asks in parallel @attack', async () => {
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    await decideDevice(begun.user_code, reader, 'allow');
    const errors = await Promise.all(Array.from({ length: 8 }, () => cli.errorOfPoll(begun.device_code)));
    expect(errors.filter((error) => error === null)).toHaveLength(1);
    expect(errors.filter((error) => error === 'invalid_grant')).toHaveLength(7);
    expect(await liveKeyIds(reader)).toEqual([]);
  });

  test('cannot use the code of another app @attack', async () => {
    const other = await OauthClient.discover(url, (await newPartner()).publishableKey);
    const begun = await cli.beginOnDevice();
    const reader = await newReader();
    await decideDevice(begun.user_code, reader, 'allow');
    expect(await other.errorOfPoll(begun.device_code)).toBe('invalid_grant');
    expect(await cli.errorOfPoll(begun.device_code)).toBeNull();
  });

  test('of a disabled app gets no key, and its user learns why', async () => {
    const disabled = await newPartner();
    const client = await OauthClient.discover(url, disabled.publishableKey);
    const begun = await client.beginOnDevice();
    await disablePartner(disabled.id);
    await expect(findWaitingDevice(begun.user_code, await newReader())).rejects.toMatchObject({
      code: 'partner_disabled',
    });
    expect(await client.errorOfPoll(begun.device_code)).toBe('unauthorized_client');
  });
});

describe('the code that the user enters', () => {
  test('is answered once, however many answers arrive', async () => {
    const begun = await cli.beginOnDevice();
    const readers = await Promise.all(Array.from({ length: 6 }, () => newReader()));
    const answers = await Promise.all(
      readers.map((reader, n) => decideDevice(begun.user_code, reader, n % 2 ? 'allow' : 'refuse')),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await findWaitingDevice(begun.user_code, await newReader())).toBeNull();
  });

  test('is not in the database, and neither is that of the program @attack', async () => {
    const begun = await cli.beginOnDevice();
    const rows = JSON.stringify(
      (await prisma().deviceAuthorization.findMany()).map((row) =>
        Object.values(row).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
        ),
      ),
    );
    for (const code of [begun.user_code, begun.user_code.replace('-', ''), begun.device_code])
      expect(rows).not.toContain(code);
  });

  test('can be entered 20 times in ten minutes by one user, right or wrong @attack', async () => {
    const reader = await newReader();
    for (let n = 0; n < 20; n++) expect(await findWaitingDevice(newUserCode(), reader)).toBeNull();
    const { user_code: code } = await cli.beginOnDevice();
    for (const attempt of [() => findWaitingDevice(code, reader), () => decideDevice(code, reader, 'allow')])
      await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await findWaitingDevice(code, await newReader())).not.toBeNull();
  });

  test('can be entered 100 times in ten minutes from one network, by however many users @attack', async () => {
    const clientIp = '2001:db8:7::1';
    for (let n = 0; n < 100; n++)
      await findWaitingDevice('none', { ...(await newSpeaker(n)), clientIp: `2001:db8:7::${n + 1}` });
    await expect(findWaitingDevice('none', { ...(await newSpeaker(101)), clientIp })).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });
});

/** Users who only enter codes need no account. */
const newSpeaker = async (n: number) => ({ userId: `usr_speaker${n}`, sessionId: 'ses_none' });

const begin = (headers: Record<string, string> = {}) =>
  fetch(`${url}/oauth/device`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ client_id: partner.publishableKey }),
  });

test('a page begins only on a registered origin of the app @attack', async () => {
  const foreign = await begin({ origin: 'https://evil.example' });
  expect([foreign.status, await foreign.json()]).toMatchObject([403, { error: 'unauthorized_client' }]);
  expect((await begin({ origin: 'https://app.example.com' })).status).toBe(200);
});

test('each network begins 60 times a minute @attack', async () => {
  const from = (address: string) => begin({ [CLIENT_IP_HEADER]: address });
  for (let n = 0; n < 60; n++) expect((await from(`2001:db8:9::${n + 1}`)).status).toBe(200);
  const refused = await from('2001:db8:9::fff');
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: 'temporarily_unavailable' }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await from('2001:db8:a::1')).status).toBe(200);
});
