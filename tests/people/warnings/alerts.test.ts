import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, setClock } from '@/server/base/clock';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { ApiError } from '@/server/base/errors';
import { newId } from '@/server/base/ids';
import { countRefusal, writeRefusalCounts } from '@/server/gateway/counts/refusal-counts';
import { createPartner } from '@/server/partners/partner';
import { clearEndpoint, setEndpoint } from '@/server/partners/webhooks/endpoint';
import { openUser } from '@/server/people/users';
import { saveAlertChoice } from '@/server/people/warnings/alert-choice';
import { noteAlerts } from '@/server/people/warnings/note-alerts';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { allowLoopback, deliverDue, recordTest } from '../../partners/webhooks/hook-world';
import { startReceiver } from '../../partners/webhooks/receiver';
import { newUser, recordRequest } from '../account/person';
import { openMailbox } from '../identity/mailbox';

/** Alerts to members of a team about its apps, with two instances that look at the same time. */

await newDatabase();
const mailbox = await openMailbox();
allowLoopback();
const receiver = await startReceiver();
afterAll(() => setClock());

let clock = 0;
beforeEach(async () => {
  await prisma().teamMember.updateMany({ data: { alerts: false } });
  // Events are due at the time of the database.
  clock = Date.parse('2030-01-15T14:05:00Z');
  setClock(() => clock);
  receiver.respondWith(200);
  mailbox.mails.length = 0;
});

type Team = { partnerId: string; teamId: string; owner: string };

async function newMember(teamId: string, role: string, alerts = true): Promise<string> {
  const email = `${newId('usr').toLowerCase()}@example.com`;
  await inTransaction((tx) => openUser(tx, email));
  if (role !== 'owner') await prisma().teamMember.create({ data: { teamId, email, role } });
  if (alerts) await saveAlertChoice({ teamId, email }, true);
  return email;
}

/** An app with an approved name whose owner wants alerts. */
async function newTeam(): Promise<Team> {
  const owner = `${newId('usr').toLowerCase()}@example.com`;
  await inTransaction((tx) => openUser(tx, owner));
  const created = await createPartner({
    name: `Harbour ${newId('prt').slice(4, 10)}`,
    rateBp: 0,
    origins: [],
    ownerEmail: owner,
  });
  const { id: partnerId } = created;
  const teamId = created.teamId ?? '';
  await prisma().partner.update({
    where: { id: partnerId },
    data: { nameApprovedAt: new Date(0), name: 'Harbour' },
  });
  await saveAlertChoice({ teamId, email: owner }, true);
  await setEndpoint(partnerId, receiver.url);
  return { partnerId, teamId, owner };
}

async function look(): Promise<string[]> {
  const before = mailbox.mails.length;
  await Promise.all([noteAlerts(), noteAlerts()]);
  await Promise.all([sendMails('warning'), sendMails('warning')]);
  return mailbox.mails.slice(before).map(({ mail, recipients }) => `${recipients} ${mail.subject}`);
}

async function deliver(partnerId: string, status: number): Promise<void> {
  receiver.respondWith(status);
  await recordTest(partnerId);
  await deliverDue();
}

describe('a webhook endpoint', () => {
  test('that fails for an hour causes one alert to each member who asked, and one when it works again', async () => {
    const { partnerId, teamId, owner } = await newTeam();
    const developer = await newMember(teamId, 'developer');
    for (const role of ['viewer', 'finance']) await newMember(teamId, role);
    await newMember(teamId, 'developer', false);
    await deliver(partnerId, 200);
    await deliver(partnerId, 500);
    clock += HOUR_MS - 1;
    await deliver(partnerId, 500);
    expect(await look()).toEqual([]);
    clock += 1;
    const failing = [owner, developer].map((email) => `${email} Webhook deliveries are failing: Harbour`);
    expect((await look()).sort()).toEqual(failing.sort());
    expect(mailbox.mails[0]?.mail.text).toContain('since Jan 15, 2030, 2:05 PM (UTC)');
    clock += 3 * HOUR_MS;
    await deliver(partnerId, 500);
    expect(await look()).toEqual([]);
    await deliver(partnerId, 204);
    const again = [owner, developer].map((email) => `${email} Webhook deliveries have recovered: Harbour`);
    expect((await look()).sort()).toEqual(again.sort());
    expect(await look()).toEqual([]);
  });

  test('that fails again after it worked causes another alert', async () => {
    const { partnerId, owner } = await newTeam();
    for (let outage = 0; outage < 2; outage++) {
      await deliver(partnerId, 500);
      clock += HOUR_MS;
      expect(await look()).toEqual([`${owner} Webhook deliveries are failing: Harbour`]);
      await deliver(partnerId, 200);
      // Fails again before anyone looked.
      await deliver(partnerId, 500);
      expect(await look()).toEqual([`${owner} Webhook deliveries have recovered: Harbour`]);
      await deliver(partnerId, 200);
      clock += MINUTE_MS;
    }
  });

  test('of which some deliveries succeed, that was removed or whose app is disabled causes none', async () => {
    const [shaky, removed, disabled] = [await newTeam(), await newTeam(), await newTeam()];
    for (const { partnerId } of [shaky, removed, disabled]) await deliver(partnerId, 500);
    await clearEndpoint(removed.partnerId);
    await prisma().partner.update({
      where: { id: disabled.partnerId },
      data: { disabledAt: new Date(clock) },
    });
    clock += 30 * MINUTE_MS;
    await deliver(shaky.partnerId, 200);
    await deliver(shaky.partnerId, 500);
    clock += 45 * MINUTE_MS;
    expect(await look()).toEqual([]);
  });

  test('is not recovered by another address before a delivery succeeds', async () => {
    const { partnerId, owner } = await newTeam();
    await deliver(partnerId, 500);
    clock += HOUR_MS;
    expect(await look()).toHaveLength(1);
    await setEndpoint(partnerId, `${receiver.url}/new`);
    expect(await look()).toEqual([]);
    clock += MINUTE_MS;
    await deliver(partnerId, 200);
    expect(await look()).toEqual([`${owner} Webhook deliveries have recovered: Harbour`]);
  });
});

describe('errors of an app', () => {
  async function fail(partnerId: string, code: 'upstream_error' | 'insufficient_credits', count: number) {
    for (let i = 0; i < count; i++) countRefusal(new ApiError(code, 'failed'), partnerId, `req_${code}_${i}`);
    await writeRefusalCounts();
  }

  async function serve(partnerId: string, count: number): Promise<void> {
    const userId = await newUser();
    for (let i = 0; i < count; i++)
      await recordRequest(userId, { partnerId, at: new Date(clock - MINUTE_MS).toISOString() });
  }

  test('that rise cause one alert a day, with the first failed request and no user @attack', async () => {
    const { partnerId, owner } = await newTeam();
    await serve(partnerId, 10);
    await fail(partnerId, 'insufficient_credits', 100);
    await fail(partnerId, 'upstream_error', 19);
    expect(await look()).toEqual([]);
    await fail(partnerId, 'upstream_error', 11);
    expect(await look()).toEqual([`${owner} Errors are rising: Harbour`]);
    const text = mailbox.mails[0]?.mail.text ?? '';
    expect(text).toContain(
      '30 of 40 requests of Harbour failed: 75%. There were no requests in the week before.',
    );
    expect(text).toContain('upstream_error: 30. The first failed request: req_upstream_error_0');
    expect(text).not.toMatch(/usr_|au_|svc_sk/);
    await fail(partnerId, 'upstream_error', 100);
    expect(await look()).toEqual([]);
    clock += 24 * HOUR_MS;
    await pool().query('DELETE FROM refusal_hour');
    await fail(partnerId, 'upstream_error', 50);
    expect(await look()).toHaveLength(1);
  });

  test('that are as frequent as in the week before cause none', async () => {
    const { partnerId } = await newTeam();
    await pool().query(`INSERT INTO refusal_hour VALUES ('2030-01-12T10:00Z', $1, 'upstream_error', 500)`, [
      partnerId,
    ]);
    await pool().query(
      `INSERT INTO activity_partner_day VALUES ($1, '2030-01-12', 'm', 'p', 1000, 0, 0, 0, 0, 0, 0, 0)`,
      [partnerId],
    );
    await serve(partnerId, 20);
    await fail(partnerId, 'upstream_error', 30);
    expect(await look()).toEqual([]);
  });
});

test('a member who left, lost the role or turned alerts off gets no alert that was due @attack', async () => {
  const { partnerId, teamId, owner } = await newTeam();
  const [left, demoted, off] = [
    await newMember(teamId, 'developer'),
    await newMember(teamId, 'developer'),
    await newMember(teamId, 'developer'),
  ];
  await deliver(partnerId, 500);
  clock += HOUR_MS;
  await noteAlerts();
  await prisma().teamMember.delete({ where: { teamId_email: { teamId, email: left } } });
  await prisma().teamMember.update({
    where: { teamId_email: { teamId, email: demoted } },
    data: { role: 'viewer' },
  });
  await saveAlertChoice({ teamId, email: off }, false);
  expect(await look()).toEqual([`${owner} Webhook deliveries are failing: Harbour`]);
});
