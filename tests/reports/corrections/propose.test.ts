import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, nowDate } from '@/server/base/clock';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { bookCorrections, checkLedger, grantCredits } from '@/server/ledger';
import { type Decision, decideCorrections, findBatch } from '@/server/operator/corrections';
import {
  prepareCorrections,
  previewCorrections,
  proposeCorrections,
} from '@/server/operator/propose-corrections';
import { deleteAccount } from '@/server/people/delete-account';
import { sendMails } from '@/server/process/mail-jobs';
import { newDatabase } from '../../harness';
import { startApi } from '../../harness/api-server';
import { svc, svcJson } from '../../harness/command';
import { newPerson, type Person } from '../../harness/people';
import { forge } from '../../ledger/forged-rows';
import { openMailbox } from '../../people/identity/mailbox';

/** `svc corrections`, on receipts of real requests, up to what users read of it. */

await newDatabase();
const mailbox = await openMailbox();
const { url } = await startApi();
const folder = mkdtempSync(path.join(tmpdir(), 'corrections-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  mailbox.mails.length = 0;
  // Of earlier tests, which are not to be proposed again.
  await pool().query("UPDATE correction_batch SET state = 'discarded' WHERE state = 'proposed'");
});

const TODAY = nowDate().toISOString().slice(0, 10);
const REASON = 'The provider lowered its price earlier than we did.';

const call = (person: Person, where: string, body?: object) =>
  fetch(`${url}${where}`, {
    headers: { authorization: `Bearer ${person.userKey}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
const read = async (person: Person, where: string) => (await call(person, where)).json();

async function generate(person: Person, model = 'sandbox/story'): Promise<string> {
  const messages = [{ role: 'user', content: 'Tell me of the sea' }];
  const response = await call(person, '/v1/chat/completions', { model, messages });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const run = (...words: string[]) => svc('corrections', ...words);
const json = (...words: string[]) => svcJson('corrections', ...words);

const OPERATOR = 'boss@example.com';
const decide = (batchId: string, decision: Decision) =>
  decideCorrections({ operator: OPERATOR, batchId, reason: 'checked with the price list', decision });

async function approve(batchId: string): Promise<void> {
  await decide(batchId, 'approve');
  await bookCorrections();
}

const versionOf = async (person: Person, request: string): Promise<string> =>
  (await read(person, `/v1/credits/receipts/${request}`)).price_version;

/** Half of the catalogue's price of the model. */
function halfPrice(): string {
  const file = path.join(folder, 'prices.json');
  writeFileSync(
    file,
    JSON.stringify({ input: '1', output: '4', cacheRead: '0.25', cacheWrite5m: '1', cacheWrite1h: '1' }),
  );
  return file;
}

const proposePrice = async (person: Person, request: string) =>
  json(
    ...['propose', '--price-version', await versionOf(person, request), '--prices', halfPrice()],
    ...['--from', TODAY, '--reason', REASON],
  );

describe('a wrong price', () => {
  test('is proposed once per request, approved, booked, and read by the user and the app', async () => {
    const person = await newPerson({ credits: 100 });
    const requests = [await generate(person), await generate(person)];
    const other = await newPerson({ credits: 100 });
    const elsewhere = await generate(other);
    await generate(other, 'sandbox/echo');
    const proposed = await proposePrice(person, requests[0] ?? '');
    expect(proposed).toMatchObject({
      state: 'proposed',
      source: 'price',
      reason: REASON,
      requests: 3,
      users: 2,
    });
    expect(proposed.corrections.map((row: { request_id: string }) => row.request_id).sort()).toEqual(
      [...requests, elsewhere].sort(),
    );
    const [row] = proposed.corrections;
    // Half of the cost, with the same commission, rounded up once.
    expect(row.due_credits).toBeCloseTo(row.charged_credits / 2, 5);
    expect(row.credits).toBeCloseTo(row.charged_credits - row.due_credits, 9);
    expect(JSON.stringify(proposed)).not.toMatch(/usr_|@example/);
    expect(await proposePrice(person, requests[0] ?? '')).toEqual({ batch_id: null });

    const before = await read(person, '/v1/credits/balance');
    await approve(proposed.batch_id);
    expect(await findBatch(proposed.batch_id)).toMatchObject({ state: 'booked', decidedBy: OPERATOR });
    expect(await proposePrice(person, requests[0] ?? '')).toEqual({ batch_id: null });
    const ofPerson = proposed.corrections.filter((each: { request_id: string }) =>
      requests.includes(each.request_id),
    );
    const back = ofPerson.reduce((sum: number, each: { credits: number }) => sum + each.credits, 0);
    expect((await read(person, '/v1/credits/balance')).balance - before.balance).toBeCloseTo(back, 6);

    const receipt = await read(person, `/v1/credits/receipts/${requests[0]}`);
    const booked = ofPerson.find((each: { request_id: string }) => each.request_id === requests[0]);
    expect(receipt.corrections).toEqual([
      {
        id: expect.stringMatching(/^txn_/),
        created_at: expect.any(String),
        credits: booked.credits,
        reason: REASON,
      },
    ]);
    const history = await read(person, '/v1/credits/history');
    expect(history.data.filter((each: { reason?: string }) => each.reason === 'correction')).toHaveLength(2);
    expect(history.data).toContainEqual({
      id: receipt.corrections[0].id,
      type: 'adjustment',
      reason: 'correction',
      credits: booked.credits,
      created_at: receipt.corrections[0].created_at,
      balance_after: expect.any(Number),
      request_id: requests[0],
      correction_reason: REASON,
    });

    await Promise.all([sendMails('correction'), sendMails('correction')]);
    await sendMails('correction');
    expect(mailbox.mails).toHaveLength(2);
    const { email } = await prisma().user.findUniqueOrThrow({ where: { id: person.userId } });
    const mail = mailbox.mails.find(({ recipients }) => recipients[0] === email)?.mail;
    expect(mail?.subject).toMatch(/^We refunded [\d.]+ credits?$/);
    expect(mail?.text).toMatch(/\/stop\?token=\S+/);
    expect(mail?.text).toContain('We overcharged 2 of your requests');
    expect(mail?.text).toContain(`Reason: ${REASON}`);
    expect(mail?.text).toContain(`/account/activity/corrections/${proposed.batch_id}`);
    expect(mail?.text).not.toMatch(/req_|usr_/);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('is compared with another version of the catalogue too, and a higher price proposes nothing', async () => {
    const person = await newPerson({ credits: 100 });
    const [story, echo] = [await generate(person), await generate(person, 'sandbox/echo')];
    const [dear, cheap] = [await versionOf(person, story), await versionOf(person, echo)];
    const words = ['--from', TODAY, '--reason', REASON];
    const proposed = await json('propose', '--price-version', dear, '--as', cheap, ...words);
    expect(proposed.corrections.map((row: { request_id: string }) => row.request_id)).toContain(story);
    expect(await json('propose', '--price-version', cheap, '--as', dear, ...words)).toEqual({
      batch_id: null,
    });
    // What is discarded may be proposed again, and is not booked.
    await decide(proposed.batch_id, 'discard');
    expect(await findBatch(proposed.batch_id)).toMatchObject({ state: 'discarded' });
    await bookCorrections();
    expect((await read(person, `/v1/credits/receipts/${story}`)).corrections).toEqual([]);
    await expect(approve(proposed.batch_id)).rejects.toThrow(
      'These corrections are discarded: only proposed ones can be approved',
    );
    expect(await json('propose', '--price-version', dear, '--as', cheap, ...words)).toMatchObject({
      requests: proposed.requests,
      credits: proposed.credits,
    });
  });

  test('that was even more wrong is corrected by the difference', async () => {
    const person = await newPerson({ credits: 100 });
    const request = await generate(person);
    const first = await proposePrice(person, request);
    await approve(first.batch_id);
    const echo = await versionOf(person, await generate(person, 'sandbox/echo'));
    const version = await versionOf(person, request);
    const second = await json(
      ...['propose', '--price-version', version, '--as', echo, '--from', TODAY, '--reason', REASON],
    );
    await approve(second.batch_id);
    const { corrections, charged_credits: charged } = await read(person, `/v1/credits/receipts/${request}`);
    const due = second.corrections.find(
      (row: { request_id: string }) => row.request_id === request,
    ).due_credits;
    expect(corrections).toHaveLength(2);
    expect(corrections[0].credits + corrections[1].credits).toBeCloseTo(charged - due, 6);
    expect((await checkLedger()).differences).toEqual([]);
  });

  test('gives nothing back to a deleted account', async () => {
    const person = await newPerson({ credits: 100 });
    const request = await generate(person);
    const version = await versionOf(person, request);
    await deleteAccount(person.userId);
    const words = ['--prices', halfPrice(), '--from', TODAY, '--reason', REASON];
    const proposed = await json('propose', '--price-version', version, ...words);
    const ids = (proposed.corrections ?? []).map((row: { request_id: string }) => row.request_id);
    expect(ids).not.toContain(request);
  });
});

test('receipts that were charged more than they say are those that the check names', async () => {
  const person = await newPerson({ credits: 100 });
  const [wrong] = [await generate(person), await generate(person)];
  const words = ['propose', '--receipts', '--from', TODAY, '--reason', 'An error of ours.'];
  expect(await json(...words)).toEqual({ batch_id: null });
  // As an error in the code would have booked it: 1 credit too much, for the partner.
  await forge([
    `UPDATE ledger_transaction SET credits = credits - 1000000, partner_share = partner_share + 1000000, held = held + 1000000
     WHERE id = 'txn_${wrong?.slice(4)}'`,
    `UPDATE user_app SET own = own - 1000000 WHERE user_id = '${person.userId}' AND partner_id = '${person.partnerId}'`,
    `UPDATE wallet SET money = money - 1000000 WHERE user_id = '${person.userId}'`,
  ]);
  expect((await checkLedger()).differences.join()).toContain(`${wrong} differs by 1000000`);
  const proposed = await json(...words);
  expect(proposed).toMatchObject({ source: 'receipt', requests: 1, credits: 1 });
  await approve(proposed.batch_id);
  expect((await read(person, `/v1/credits/receipts/${wrong}`)).corrections).toMatchObject([{ credits: 1 }]);
  expect(await json(...words)).toEqual({ batch_id: null });
  const { rows } = await pool().query(
    `SELECT e.account, e.amount FROM ledger_entry e JOIN ledger_transaction t ON t.id = e.transaction_id
     WHERE t.user_id = $1 AND t.kind = 'correction' ORDER BY 1`,
    [person.userId],
  );
  expect(rows).toEqual([
    { account: 'partner_earnings', amount: -1_000_000n },
    { account: 'pocket', amount: 1_000_000n },
  ]);
});

describe('a bill that is lower than what was recorded', () => {
  const MODEL = 'openai/gpt-5.4';
  const YESTERDAY = new Date(nowDate().getTime() - DAY_MS).toISOString().slice(0, 10);

  /** Requests of yesterday, which cost these credits. */
  async function recordYesterday(person: Person, costs: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const cost of costs) {
      const id = await generate(person, 'sandbox/echo');
      ids.push(id);
      const micro = Math.round(cost * 1_000_000);
      const charge = Math.ceil(micro * 1.25);
      await forge([
        `WITH t AS (
           SELECT id, user_id, partner_id, credits AS was FROM ledger_transaction WHERE id = 'txn_${id.slice(4)}'
         ), p AS (
           UPDATE user_app u SET own = own - ${charge} - t.was FROM t WHERE u.user_id = t.user_id AND u.partner_id = t.partner_id
         ), w AS (
           UPDATE wallet SET money = money - ${charge} - t.was FROM t WHERE wallet.user_id = t.user_id
         )
         UPDATE ledger_transaction l SET credits = -${charge}, provider_cost = ${micro}, partner_share = ${charge - micro},
           held = ${charge}, cost_reported = true, provider = 'openai', model = '${MODEL}',
           price_version = '${MODEL}@2026-11-01.0a1b2c3d', created_at = '${YESTERDAY}'::date + interval '12 hours'
         FROM t WHERE l.id = t.id`,
      ]);
    }
    return ids;
  }

  const bill = (credits: number, day = YESTERDAY): string => {
    const file = path.join(folder, 'bill.csv');
    writeFileSync(
      file,
      `start_time_iso,amount_value,amount_currency,line_item\n${day}T00:00:00+00:00,${(credits / 100).toFixed(10)},usd,"gpt-5.4-2026-03-05, input"`,
    );
    return file;
  };

  test('is shared over the requests of its day and model in proportion, once per bill', async () => {
    await prisma()
      .modelPrice.deleteMany({ where: { modelId: MODEL } })
      .catch(() => {});
    await pool().query(
      "INSERT INTO model (id, name, provider) VALUES ($1, $1, 'openai') ON CONFLICT DO NOTHING",
      [MODEL],
    );
    await pool().query(
      `INSERT INTO model_price (version, model_id, prices, effective_at)
       VALUES ($1 || '@2026-11-01.0a1b2c3d', $1, '{"input":"1","output":"1","cache_read":"1","cache_write_5m":"1","cache_write_1h":"1","tiers":[]}', '2026-11-01')`,
      [MODEL],
    );
    const person = await newPerson({ credits: 1_000 });
    const other = await newPerson({ credits: 1_000 });
    const ids = [
      ...(await recordYesterday(person, [10, 30])),
      ...(await recordYesterday(other, [60.000001])),
    ];
    const words = ['--reason', 'The provider billed less.'];
    // Within the tolerance.
    expect(await json('propose', '--bill', bill(99), ...words)).toEqual({ batch_id: null });
    const proposed = await json('propose', '--bill', bill(80), ...words);
    expect(proposed).toMatchObject({ source: 'bill', requests: 3, users: 2 });
    const credits = ids.map(
      (id) => proposed.corrections.find((row: { request_id: string }) => row.request_id === id).credits,
    );
    // 20.000001 credits of the cost in proportion 10 : 30 : 60, with a quarter of commission.
    expect(credits).toEqual([expect.closeTo(2.5, 5), expect.closeTo(7.5, 5), expect.closeTo(15, 5)]);
    expect(credits.reduce((sum: number, each: number) => sum + each, 0)).toBeCloseTo(25.000001, 5);
    expect(await json('propose', '--bill', bill(80), ...words)).toEqual({ batch_id: null });
    await approve(proposed.batch_id);
    expect(await json('propose', '--bill', bill(80), ...words)).toEqual({ batch_id: null });
    // A later bill of the same day that is lower still.
    const second = await json('propose', '--bill', bill(70), ...words);
    expect(second.credits).toBeCloseTo(12.5, 4);
    await approve(second.batch_id);
    expect((await read(person, `/v1/credits/receipts/${ids[0]}`)).corrections).toHaveLength(2);
    const { rows } = await pool().query<{ cost: bigint }>(
      `SELECT sum(e.amount)::bigint AS cost FROM ledger_entry e JOIN ledger_transaction t ON t.id = e.transaction_id
       WHERE e.account = 'provider_cost' AND t.model = $1 OR e.account = 'provider_cost' AND t.kind = 'correction' AND t.note = ANY ($2)`,
      [MODEL, ids.map((id) => `txn_${id.slice(4)}`)],
    );
    expect(rows).toEqual([{ cost: wholeCredits(70) }]);
  });

  test('without amounts, or with pages missing, is refused', async () => {
    const file = path.join(folder, 'usage.csv');
    const refuse = async (content: string) => {
      writeFileSync(file, content);
      return (await run('propose', '--bill', file, '--reason', REASON)).err;
    };
    expect(
      await refuse(
        `start_time_iso,model,input_tokens,input_cached_tokens,output_tokens\n${YESTERDAY},gpt-5.4,1,0,1`,
      ),
    ).toMatch(/^--bill: expected an export of costs/);
    const page = { data: [{ date: YESTERDAY, model: 'a/b', usage: 1 }], has_more: true };
    expect(await refuse(JSON.stringify(page))).toMatch(/^--bill: expected all pages of the export/);
  });

  test('of today waits, because the day is not over', async () => {
    expect(await json('propose', '--bill', bill(0.000001, TODAY), '--reason', REASON)).toEqual({
      batch_id: null,
    });
  });
});

describe('the command refuses', () => {
  const from = ['--from', TODAY];
  const reason = ['--reason', REASON];
  test.each<[string, string[], RegExp]>([
    ['no source', ['propose', ...from, ...reason], /^Expected one of --price-version, --receipts and --bill/],
    ['two sources', ['propose', '--receipts', '--bill', 'x', ...reason], /^Expected one of/],
    ['no reason', ['propose', '--receipts', ...from], /^Missing reason/],
    ['an empty reason', ['propose', '--receipts', ...from, '--reason', ' '], /^Enter a reason of 1 to 500/],
    ['no start', ['propose', '--receipts', ...reason], /^Missing from/],
    [
      'a day that is none',
      ['propose', '--receipts', '--from', '2026-02-30', ...reason],
      /^--from: expected a date/,
    ],
    [
      'an end before the start',
      ['propose', '--receipts', ...from, '--to', '2026-01-01', ...reason],
      /^--to: expected a day from/,
    ],
    [
      'an unknown version',
      ['propose', '--price-version', 'a@1', '--as', 'a@2', ...from, ...reason],
      /^--price-version: there is no price version "a@1"/,
    ],
    [
      'a bill with a span',
      ['propose', '--bill', 'x', ...from, ...reason],
      /^--bill: expected no --from and --to/,
    ],
    ['a missing file', ['propose', '--bill', '/nowhere', ...reason], /the file cannot be read/],
  ])('%s', async (_, words, message) => {
    const { code, out, err } = await run(...words);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(message);
  });

  test('an unknown batch', () =>
    expect(approve('cor_none')).rejects.toThrow('There is no batch of corrections cor_none'));

  test('prices that are none', async () => {
    const person = await newPerson({ credits: 10 });
    const version = await versionOf(person, await generate(person));
    const file = path.join(folder, 'wrong.json');
    const attempt = async (content: string) => {
      writeFileSync(file, content);
      return (await run('propose', '--price-version', version, '--prices', file, ...from, ...reason)).err;
    };
    expect(await attempt('{')).toContain('expected JSON');
    expect(await attempt('{"output": "1"}')).toMatch(/input: expected/);
    expect(
      await attempt('{"input": "1", "offPeak": {"input": "0.5", "peak": {"hours": ["01:00-02:00"]}}}'),
    ).toContain('offPeak: expected one price');
  });

  test('receipts that are archived', async () => {
    await pool().query(
      "INSERT INTO archived_month VALUES ('usr_none', '', '2020-01-01', 0, 0, 0, 0, 0, 0, 0)",
    );
    await pool().query("UPDATE watermark SET up_to = '2020-02-01' WHERE name = 'archive'");
    const { err } = await run('propose', '--receipts', '--from', '2020-01-31', ...reason);
    expect(err).toMatch(/^--from: receipts before 2020-02-01 are archived and can no longer be corrected/);
    await forge(["DELETE FROM archived_month WHERE user_id = 'usr_none'"]);
  });
});

test('people get tables, and a grant is no correction', async () => {
  const person = await newPerson({ credits: 100 });
  await inTransaction((tx) =>
    grantCredits(tx, {
      userId: person.userId,
      partnerId: person.partnerId,
      credits: wholeCredits(1),
      grantId: newId('req'),
      note: 'a gift',
    }),
  );
  const version = await versionOf(person, await generate(person));
  const words = ['--prices', halfPrice(), '--from', TODAY, '--reason', REASON];
  const { out } = await run('propose', '--price-version', version, ...words);
  expect(out).toMatch(/^batch\s+cor_/m);
  expect(out).toMatch(/^app\s+requests\s+users\s+credits$/m);
  expect(out).toMatch(/^request\s+model\s+charged\s+by the rules\s+back$/m);
  expect(out).toMatch(/Approve or discard it at \/operator\/corrections\/cor_\w+\n$/);
});

describe('on the page of an operator', () => {
  const FIRST = 'first@example.com';
  const SECOND = 'second@example.com';

  async function prepare(): Promise<string> {
    const person = await newPerson({ credits: 100 });
    const wrongVersion = await versionOf(person, await generate(person));
    const prices = readFileSync(halfPrice(), 'utf8');
    const days = { from: TODAY, to: undefined };
    const { batchId } = await prepareCorrections(
      { source: 'price', wrongVersion, as: { prices }, days },
      REASON,
    );
    return batchId ?? '';
  }

  test('a check shows totals and examples, and proposes nothing', async () => {
    const batchId = await prepare();
    const preview = await previewCorrections(batchId, 1);
    expect(preview?.batch).toMatchObject({ id: batchId, state: 'proposed', reason: REASON });
    expect(preview?.requests).toHaveLength(1);
    expect(preview?.apps.length).toBeGreaterThan(0);
    expect(preview?.apps.reduce((sum, { credits }) => sum + credits, 0n)).toBe(preview?.batch.credits);
    expect(await findBatch(batchId)).toBeNull();
    // Nor does it keep others from proposing the same.
    expect((await previewCorrections(await prepare(), 1))?.batch.requests).toBeGreaterThan(0);
  });

  test('exactly what was checked is proposed once, recorded, and approved by another operator', async () => {
    const batchId = await prepare();
    const preview = await previewCorrections(batchId, 1);
    expect(await proposeCorrections(FIRST, batchId)).toBe(true);
    expect(await findBatch(batchId)).toEqual(preview?.batch);
    await expect(proposeCorrections(FIRST, batchId)).rejects.toThrow('was proposed before');
    const logged = { subject: batchId, what: 'correction.propose' };
    expect(await prisma().auditEntry.findMany({ where: logged })).toMatchObject([
      { actor: FIRST, reason: REASON },
    ]);

    const ofBatch = { batchId, reason: 'checked', decision: 'approve' } as const;
    settings().OPERATOR_EMAILS.splice(0, 9, FIRST, SECOND);
    await expect(decideCorrections({ ...ofBatch, operator: FIRST })).rejects.toThrow('another operator');
    await decideCorrections({ ...ofBatch, operator: SECOND });
    expect(await findBatch(batchId)).toMatchObject({ state: 'approved', decidedBy: SECOND });
    await bookCorrections();
  });

  test('what another batch proposed in the meantime is not proposed again', async () => {
    const [one, other] = [await prepare(), await prepare()];
    expect(await proposeCorrections(FIRST, other)).toBe(true);
    expect(await proposeCorrections(FIRST, one)).toBe(false);
    expect(await previewCorrections(one, 1)).toBeNull();
  });
});
