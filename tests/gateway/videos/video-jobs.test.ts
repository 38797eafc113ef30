import { describe, expect, test } from 'vitest';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { endVideo } from '@/server/gateway/run/videos/end-video';
import { claimDueJobs, forgetVideos } from '@/server/gateway/run/videos/job-store';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { checkLedger, stopSpending, sweepHolds } from '@/server/ledger';
import { disablePartner } from '@/server/partners/partner';
import { deleteAccount } from '@/server/people/delete-account';
import { revokeKey } from '@/server/people/keys/revoke';
import type { Person } from '../../harness/people';
import { until } from '../../harness/until';
import { type Answer, answer, bookedOf, lookNow, pass, send, startVideoWorld } from './video-world';

/** However a video ends, it is charged once or not at all, and what its provider may bill is a charge or a loss. */

process.env.LIMIT_OVERRUN_CREDITS_PER_USER_PER_DAY = '1000000';
process.env.LIMIT_OVERRUN_CREDITS_PER_APP_PER_DAY = '1000000';
const { url, provider, start, read, newBuyer } = await startVideoWorld();

/** 4 seconds at $0.07, and with a commission of 25%. */
const MOST = 28_000_000n;
const CHARGE = 35_000_000n;
const CHARGED = { receipts: [{ charge: CHARGE, provider_cost: MOST }], losses: [], holds: 0, running: 0 };
const lost = (reason: string, cost = MOST, is_estimated = true) => ({
  receipts: [],
  losses: [{ reason, cost, is_estimated }],
  holds: 0,
  running: 0,
});
const NOTHING = { receipts: [], losses: [], holds: 0, running: 0 };

const startJob = async (person: Person, body = {}): Promise<string> =>
  (await (await start(person, body)).json()).id;
const stateOf = async (person: Person, id: string) => (await read(person, `/${id}`)).json();

function restore(): void {
  provider.onStart = (response) => send(response, { request_id: `job-${provider.started.length}` });
  provider.onRead = answer(provider.done());
}

describe('a video that succeeds is charged once', () => {
  test('after its client has disconnected', async () => {
    const buyer = await newBuyer();
    const client = new AbortController();
    let release = () => {};
    provider.onStart = (response) => {
      release = () => send(response, { request_id: 'job-left' });
      client.abort();
    };
    await expect(start(buyer, {}, {}, client.signal)).rejects.toThrow();
    release();
    restore();
    await until(
      () => prisma().videoJob.findFirst({ where: { userId: buyer.userId } }),
      (job) => job?.upstreamId === 'job-left',
    );
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });

  test('after a retry with the same Idempotency-Key, before and after it completes', async () => {
    const buyer = await newBuyer();
    const before = provider.started.length;
    const headers = { 'idempotency-key': 'film-1' };
    const first = await (await start(buyer, {}, headers)).json();
    const second = await start(buyer, {}, headers);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.json()).toEqual(first);
    await lookNow();
    expect((await (await start(buyer, {}, headers)).json()).id).toBe(first.id);
    expect((await start(buyer, { seconds: 5 }, headers)).status).toBe(409);
    await lookNow();
    expect(provider.started.length - before).toBe(1);
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });

  test('when many instances look at once, and when two have seen it complete', async () => {
    const buyer = await newBuyer();
    await startJob(buyer);
    pass(20);
    const before = provider.reads;
    await Promise.all(Array.from({ length: 6 }, () => lookAfterVideos()));
    expect(provider.reads - before).toBe(1);
    const other = await newBuyer();
    await startJob(other);
    pass(20);
    const jobs = await claimDueJobs(9);
    const end = { url: `${provider.url}/files/a.mp4`, seconds: 4, cost: null, usage: null };
    await Promise.all([...jobs, ...jobs, ...jobs].map((job) => endVideo(job, end)));
    for (const one of [buyer, other]) {
      expect(await bookedOf(one)).toMatchObject(CHARGED);
      expect((await (await read(one, '')).json()).data).toMatchObject([{ status: 'completed' }]);
    }
  });

  test('after the sweeper of another instance has run', async () => {
    const buyer = await newBuyer();
    await startJob(buyer);
    pass(25 * 60);
    await pool().query(
      "UPDATE hold SET lease_until = lease_until - interval '25 minutes' WHERE user_id = $1",
      [buyer.userId],
    );
    await sweepHolds([]);
    await lookAfterVideos();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });

  test.each<[string, (person: Person, id: string) => Promise<unknown>]>([
    ['the user deleted it', (person, id) => read(person, `/${id}`, 'DELETE')],
    [
      'the user stopped the app',
      ({ userId, partnerId }) => inTransaction((tx) => stopSpending(tx, { userId, partnerId })),
    ],
    ['the app was disabled', ({ partnerId }) => disablePartner(partnerId)],
    [
      'the app was paused for review',
      ({ partnerId }) => pool().query('UPDATE partner SET paused_at = now() WHERE id = $1', [partnerId]),
    ],
    ['the key was revoked', ({ userId, keyId }) => revokeKey(userId, keyId)],
    ['the account was deleted', ({ userId }) => deleteAccount(userId)],
  ])('although %s while it ran', async (_, change) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    await change(buyer, id);
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });
});

test('a deleted video, or that of a deleted account, keeps no URL, and is forgotten once it has ended', async () => {
  const buyer = await newBuyer();
  const id = await startJob(buyer);
  await read(buyer, `/${id}`, 'DELETE');
  const done = await startJob(buyer);
  await lookNow();
  expect((await prisma().videoJob.findUniqueOrThrow({ where: { id: done } })).url).not.toBeNull();
  await deleteAccount(buyer.userId);
  const rows = await prisma().videoJob.findMany({ where: { userId: buyer.userId } });
  expect(rows.map(({ url }) => url)).toEqual([null, null]);
  await forgetVideos();
  expect(await prisma().videoJob.count({ where: { userId: buyer.userId } })).toBe(0);
});

test('a video is forgotten a day after it ended', async () => {
  const buyer = await newBuyer();
  const id = await startJob(buyer);
  await lookNow();
  pass(86_000);
  await forgetVideos();
  expect((await read(buyer, `/${id}`)).status).toBe(200);
  pass(500);
  expect((await read(buyer, `/${id}`)).status).toBe(404);
  await forgetVideos();
  expect(await prisma().videoJob.count({ where: { id } })).toBe(0);
});

describe('a video that fails is not charged', () => {
  const failed = (code: string) => ({ status: 'failed', error: { code, message: 'No' } });
  const done = (video: object) => provider.done({ video });
  test.each<[string, () => object, ReturnType<typeof lost>, string]>([
    ['for a reason of the provider', () => failed('internal_error'), lost('failed_job'), 'upstream_error'],
    ['for its content', () => failed('invalid_argument'), lost('failed_job'), 'invalid_request'],
    [
      'and is billed',
      () => ({ ...failed('internal_error'), usage: { cost_in_usd_ticks: 100_000_000 } }),
      lost('failed_response', 1_000_000n, false),
      'upstream_error',
    ],
    [
      'and is not billed',
      () => ({ ...failed('internal_error'), usage: { cost_in_usd_ticks: 0 } }),
      { ...lost(''), losses: [] },
      'upstream_error',
    ],
    ['because it expired', () => ({ status: 'expired' }), lost('failed_job'), 'upstream_error'],
    [
      'because it was withheld',
      () => done({ url: '', respect_moderation: false }),
      lost('failed_job'),
      'moderation_blocked',
    ],
    ['because it has no URL', () => done({ duration: 4 }), lost('failed_job'), 'upstream_error'],
    [
      'because its URL is of another host',
      () => done({ url: 'http://169.254.169.254/latest/meta-data' }),
      lost('failed_job'),
      'upstream_error',
    ],
    [
      'because its URL has a user',
      () => done({ url: 'https://vidgen.x.ai@127.0.0.1/a.mp4' }),
      lost('failed_job'),
      'upstream_error',
    ],
    [
      'because its URL is a file',
      () => done({ url: 'file:///etc/passwd' }),
      lost('failed_job'),
      'upstream_error',
    ],
  ])('%s', async (_, state, booked, code) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    provider.onRead = answer(state());
    await lookNow();
    restore();
    await lookNow();
    expect(await bookedOf(buyer)).toEqual(booked);
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'failed', error: { code }, usage: { cost: 0 } });
    expect((await read(buyer, `/${id}/content`)).status).toBe(404);
  });

  test('when its provider takes longer than half an hour, whatever it says later', async () => {
    const buyer = await newBuyer();
    provider.onRead = answer({ status: 'pending' });
    const id = await startJob(buyer);
    await lookNow();
    restore();
    pass(30 * 60);
    const before = provider.reads;
    await lookAfterVideos();
    await lookNow();
    expect(provider.reads).toBe(before);
    expect(await bookedOf(buyer)).toEqual(lost('timeout'));
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'failed' });
  });

  test('when no instance looked after it until the sweeper released its hold', async () => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    await pool().query("UPDATE hold SET lease_until = '2000-01-01' WHERE user_id = $1", [buyer.userId]);
    await sweepHolds([]);
    await lookNow();
    expect(await bookedOf(buyer)).toEqual(lost('instance_died'));
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'failed' });
  });
});

describe('a request for a video that fails at once', () => {
  const error = (status: number, message: string, code?: string) =>
    answer({ error: { message, code } }, status);
  test.each<[string, Answer, number, object]>([
    ['is not charged if the provider refuses it', error(400, 'duration: too long'), 400, NOTHING],
    ['is not charged if the provider fails', error(500, 'No'), 502, NOTHING],
    ['is not charged if the provider is busy', error(429, 'Slow down'), 429, NOTHING],
    ['is a loss if a gateway waited no longer', error(504, 'Gateway timeout'), 502, lost('timeout')],
    ['is a loss if the connection breaks', (response) => response.destroy(), 502, lost('connection_lost')],
    [
      'is a loss if the provider accepts it without an id',
      answer({ ok: true }),
      502,
      lost('unreadable_response'),
    ],
    [
      'is a loss if the id is not one',
      answer({ request_id: '../../files' }),
      502,
      lost('unreadable_response'),
    ],
    [
      'is charged the fee of a violation',
      error(403, 'Content violates usage guidelines. Fee.'),
      400,
      {
        receipts: [{ provider_cost: 5_000_000n, charge: 6_250_000n, outcome: 'refused' }],
        losses: [],
        holds: 0,
      },
    ],
  ])('%s', async (_, onStart, status, booked) => {
    const buyer = await newBuyer();
    provider.onStart = onStart;
    const response = await start(buyer, {}, { 'idempotency-key': 'at-once' });
    restore();
    expect(response.status).toBe(status);
    const error = JSON.stringify(await response.json());
    expect(error).not.toContain('files');
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(booked);
    const { data } = await (await read(buyer, '')).json();
    expect(data).toMatchObject([{ status: 'failed' }]);
  });

  test('can be sent again with its Idempotency-Key', async () => {
    const buyer = await newBuyer();
    provider.onStart = error(500, 'No');
    const headers = { 'idempotency-key': 'again' };
    expect((await start(buyer, {}, headers)).status).toBe(502);
    restore();
    expect((await start(buyer, {}, headers)).status).toBe(200);
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });
});

describe('a provider that lies', () => {
  test('cannot fail or bill a video after it completed', async () => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    await lookNow();
    provider.onRead = answer({ status: 'failed', usage: { cost_in_usd_ticks: 9_000_000_000 } });
    await lookNow();
    restore();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
    expect(await stateOf(buyer, id)).toMatchObject({ status: 'completed' });
  });

  test.each<[string, unknown]>([
    ['that it made 90,000 seconds', { duration: 90_000 }],
    ['a negative length', { duration: -4 }],
    ['a length without bounds', { duration: 1e300 }],
    ['a length as text', { duration: '1e9' }],
  ])('is paid at most the hold if it reports %s', async (_, more) => {
    const buyer = await newBuyer();
    provider.onRead = answer(provider.done({ video: { ...Object(provider.done().video), ...Object(more) } }));
    await startJob(buyer);
    await lookNow();
    restore();
    expect((await bookedOf(buyer)).receipts).toMatchObject([{ charge: CHARGE, held: CHARGE }]);
  });

  test.each<[string, Answer]>([
    ['the state of another job', answer({ ...provider.done(), request_id: 'job-of-another' })],
    ['five megabytes', answer(`${' '.repeat(5_000_000)}{"status":"done"}`)],
    ['a million objects', answer(`{"status":"done","steps":[${'{},'.repeat(1_000_000)}{}]}`)],
    ['no JSON', answer('<html>')],
    ['a redirect', (response) => response.writeHead(302, { location: '/files/a' }).end()],
    ['an error', answer({ error: 'no' }, 503)],
  ])('is asked again if it sends %s', async (_, lie) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    provider.onRead = lie;
    const files = provider.files.length;
    await lookNow();
    restore();
    expect((await stateOf(buyer, id)).status).toBe('queued');
    expect(provider.files.length).toBe(files);
    await lookNow();
    expect(await bookedOf(buyer)).toMatchObject(CHARGED);
  });
});

describe('the content of a video', () => {
  const film = provider.onFile;
  test.each<[string, Answer, number]>([
    ['is not found once the provider has deleted it', (response) => send(response, 'gone', 404), 404],
    [
      'is not read from where the provider redirects to',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      502,
    ],
    [
      'is not another kind of file',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<script>'),
      502,
    ],
    [
      'is not larger than 256 MB',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'video/mp4', 'content-length': 300 * 1024 * 1024 })
          .flushHeaders(),
      502,
    ],
  ])('%s', async (_, onFile, status) => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    await lookNow();
    provider.onFile = onFile;
    const response = await read(buyer, `/${id}/content`);
    provider.onFile = film;
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('files');
    expect((await read(buyer, `/${id}/content?variant=thumbnail`)).status).toBe(400);
  });

  test('breaks off where the provider does', async () => {
    const buyer = await newBuyer();
    const id = await startJob(buyer);
    expect((await read(buyer, `/${id}/content`)).status).toBe(404);
    await lookNow();
    provider.onFile = (response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 100 });
      response.write('....ftyp', () => response.destroy());
    };
    const response = await read(buyer, `/${id}/content`);
    provider.onFile = film;
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('is sent four times at once to one user, and again when one of them has disconnected @attack', async () => {
    const [buyer, other] = [await newBuyer(), await newBuyer()];
    const id = await startJob(buyer);
    const ofOther = await startJob(other);
    await lookNow();
    const statusOf = async () => (await read(buyer, `/${id}/content`)).status;
    provider.onFile = answer('gone', 404);
    for (let n = 0; n < 5; n++) expect(await statusOf()).toBe(404);
    provider.onFile = (response) =>
      response.writeHead(200, { 'content-type': 'video/mp4' }).write('....ftyp');
    for (let n = 0; n < 5; n++) expect((await read(buyer, `/${id}/content`, 'HEAD')).status).toBe(200);
    const [first] = await Promise.all(Array.from({ length: 4 }, () => read(buyer, `/${id}/content`)));
    expect(await statusOf()).toBe(429);
    expect((await read(other, `/${ofOther}/content`)).status).toBe(200);
    await first?.body?.cancel();
    await until(statusOf, (status) => status === 200);
    expect(await statusOf()).toBe(429);
    provider.onFile = film;
  });
});

test('running videos count towards the limit of running requests', async () => {
  const buyer = await newBuyer(100_000);
  const limit = Number(process.env.LIMIT_RUNNING_PER_USER ?? 20);
  const statuses: number[] = [];
  for (let n = 0; n <= limit; n++)
    statuses.push((await start(buyer, { seconds: 1, size: '480x480' })).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
  expect(statuses.at(-1)).toBe(429);
  // The audit accepts the leases of jobs.
  expect((await checkLedger()).differences).toEqual([]);
  await lookNow();
  expect((await start(buyer, { seconds: 1 })).status).toBe(200);
});

test('a run key pays with its budget, and reads the videos of its branch only', async () => {
  const buyer = await newBuyer();
  const headers = { authorization: `Bearer ${buyer.userKey}`, 'content-type': 'application/json' };
  const minted = await fetch(`${url}/v1/keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ credits: 40 }),
  });
  const run = { ...buyer, userKey: (await minted.json()).user_key };
  const own = await startJob(run);
  expect((await start(run)).status).toBeGreaterThanOrEqual(400);
  const others = await startJob(buyer);
  expect((await read(run, `/${others}`)).status).toBe(404);
  expect((await read(run, `/${others}`, 'DELETE')).status).toBe(404);
  expect((await (await read(run, '')).json()).data).toMatchObject([{ id: own }]);
  await lookNow();
  expect((await read(run, `/${own}/content`)).status).toBe(200);
  const { rows } = await pool().query('SELECT spent, held FROM budget WHERE user_id = $1', [buyer.userId]);
  expect(rows).toMatchObject([{ spent: CHARGE, held: 0n }]);
});

test('the books agree', async () => {
  await lookNow();
  expect((await checkLedger()).differences).toEqual([]);
});
