import { expect, it } from 'vitest';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { findAppRequest } from '@/server/reports/activity/app-request';
import { newDatabase } from '../../harness';
import { newUser, recordRequest } from '../../people/account/person';

await newDatabase();

async function newAppWithUser() {
  const { id: partnerId } = await createPartner({ name: 'Notes', rateBp: 2_500, origins: [] });
  const userId = await newUser();
  const appUserId = await inTransaction((tx) => openAppUser(tx, { userId, partnerId }));
  return { partnerId, userId, appUserId };
}

const write = (value: unknown): string =>
  JSON.stringify(value, (_, entry: unknown) => (typeof entry === 'bigint' ? `${entry}` : entry));

it('a partner opens a charged request by its id and sees its user, tokens, price and outcome', async () => {
  const { partnerId, userId, appUserId } = await newAppWithUser();
  const id = await recordRequest(userId, { partnerId, at: '2026-11-03T10:00:00Z' });
  const request = await findAppRequest(partnerId, id);
  expect(request).toMatchObject({
    kind: 'charged',
    requestId: id,
    appUserId,
    model: 'sandbox/story',
    inputTokens: 100,
    outputTokens: 20,
    charge: 1_250_000n,
    providerCost: 1_000_000n,
    partnerShare: 250_000n,
    rateBp: 2_500,
    outcome: 'completed',
  });
  const { email } = await prisma().user.findUniqueOrThrow({ where: { id: userId } });
  expect(write(request)).not.toContain(email);
  expect(write(request)).not.toContain(userId);
});

it('a partner opens a request that no provider answered, and the first refused one of an hour', async () => {
  const { partnerId, userId, appUserId } = await newAppWithUser();
  const [unanswered, refused] = [newId('req'), newId('req')];
  const attempts = [
    { provider: 'sandbox', model: 'sandbox/story', at: '2026-11-03T10:00:00.000Z', outcome: 'failed' },
  ];
  await prisma().unansweredRequest.create({
    data: { userId, requestId: unanswered, partnerId, model: 'sandbox/story', attempts, at: new Date() },
  });
  await pool().query(
    `INSERT INTO refusal_hour (hour, partner_id, code, count, first_request_id)
     VALUES ('2026-11-03T10:00:00Z', $1, 'insufficient_credits', 3, $2)`,
    [partnerId, refused],
  );
  expect(await findAppRequest(partnerId, unanswered)).toMatchObject({
    kind: 'unanswered',
    appUserId,
    attempts,
  });
  expect(await findAppRequest(partnerId, refused)).toMatchObject({
    kind: 'refused',
    code: 'insufficient_credits',
  });
});

it('a request of another app is as unknown to a partner as one that never was @attack', async () => {
  const [own, other] = [await newAppWithUser(), await newAppWithUser()];
  // The same person uses both apps.
  await inTransaction((tx) => openAppUser(tx, { userId: other.userId, partnerId: own.partnerId }));
  const [unanswered, refused] = [newId('req'), newId('req')];
  const charged = await recordRequest(other.userId, {
    partnerId: other.partnerId,
    at: '2026-11-03T10:00:00Z',
  });
  await prisma().unansweredRequest.create({
    data: {
      userId: other.userId,
      requestId: unanswered,
      partnerId: other.partnerId,
      model: 'sandbox/story',
      attempts: [],
      at: new Date(),
    },
  });
  await pool().query(
    `INSERT INTO refusal_hour (hour, partner_id, code, count, first_request_id)
     VALUES ('2026-11-03T10:00:00Z', $1, 'rate_limited', 1, $2)`,
    [other.partnerId, refused],
  );
  for (const id of [charged, unanswered, refused]) {
    expect(await findAppRequest(other.partnerId, id)).not.toBeNull();
    expect(await findAppRequest(own.partnerId, id)).toBeNull();
  }
  for (const id of [
    newId('req'),
    'req_',
    `${charged}\0`,
    `${charged}%`,
    charged.replace('req', 'txn'),
    "req_'",
  ])
    expect(await findAppRequest(own.partnerId, id)).toBeNull();
});
