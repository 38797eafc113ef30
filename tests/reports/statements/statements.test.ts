import { createHash, createPublicKey, generateKeyPairSync, sign, verify as verifyBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { inTransaction, pool, prisma } from '@/server/base/db';
import { runCommand } from '@/server/operator/cli/run';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { deleteAccount } from '@/server/people/delete-account';
import { mintUserKey } from '@/server/people/keys/mint';
import { canonicalJson } from '@/server/reports/statements/canonical-json';
import { closeDays } from '@/server/reports/statements/close-days';
import { openSigner, rotateSigningKey } from '@/server/reports/statements/signing-keys';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { newPerson } from '../../harness/people';
import { forge, whileForged } from '../../ledger/forged-rows';
import { closeBothDays, DAYS, download, moveTo, runVerifier, startStatementWorld } from './statement-world';

/** Receipts and daily statements, and the verifier of the served package, which knows only what the API returns. */

await newDatabase();
const world = await startStatementWorld();
const { url, readJson, verify } = world;
const user = await world.newUser();
const [first, second] = DAYS;
const [[echo = '', story = ''], [later = '']] = user.requests;

beforeAll(() => buildWidget(), 120_000);

type Jws = { header: Record<string, unknown>; payload: Record<string, unknown>; isSigned: boolean };

/** Independent of the verifier: a signature by a published key. */
async function open(jws: string): Promise<Jws> {
  const { keys } = await (await fetch(`${url}/.well-known/jwks.json`)).json();
  const [header = '', payload = '', signature = ''] = jws.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const jwk = keys.find(({ kid }: { kid: string }) => kid === read(header).kid);
  const isSigned = verifyBytes(
    null,
    Buffer.from(`${header}.${payload}`),
    createPublicKey({ key: jwk, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
  return { header: read(header), payload: read(payload), isSigned };
}

const readReceipt = (id: string, key = user.userKey) => readJson(key, `/v1/credits/receipts/${id}`);

async function ledgerCheck(): Promise<string> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  await runCommand(['ledger', 'check'], { out: write, err: write });
  return text;
}

test('a receipt is signed from the start, the same each time, and has no statement before its day is closed', async () => {
  const { proof, ...receipt } = await readReceipt(echo);
  const { header, payload, isSigned } = await open(proof.receipt);
  expect([isSigned, header.typ, header.alg]).toEqual([true, 'svc-receipt', 'EdDSA']);
  expect(payload).toMatchObject({
    request_id: echo,
    commission_bp: 2_500,
    input_tokens: receipt.input_tokens,
  });
  expect(payload.charged).toBe(Math.round(receipt.charged_credits * 1e6));
  expect([proof.inclusion, proof.statement]).toEqual([null, null]);
  expect((await readReceipt(echo)).proof).toEqual(proof);
  const { code, text } = await runVerifier([`${url}/v1/credits/receipts/${echo}`], user.userKey);
  expect([code, text]).toEqual([0, expect.stringContaining('not closed yet')]);
});

describe('after the days are closed', () => {
  beforeAll(closeBothDays);

  test('the verifier confirms a receipt, the statements of an app and those of the account', async () => {
    const paths = [`receipts/${echo}`, `statements/${first}`, `statements/${second}`, 'statements'];
    const ofApp = await runVerifier(
      paths.map((path) => `${url}/v1/credits/${path}`),
      user.userKey,
    );
    expect([ofApp.code, ofApp.text]).toEqual([0, expect.stringContaining(`${second} follows from ${first}`)]);
    expect(ofApp.text).toContain(`the statement of ${first} contains it`);
    const ofAccount = await verify([await download(user.userId, second), await download(user.userId, first)]);
    expect(ofAccount.code, ofAccount.text).toBe(0);
    expect(ofAccount.text).toMatch(/account on 2024-03-05: 2 apps, balance 0 → 149\.\d+ credits/);
    expect(ofAccount.text).toContain(`${second} follows from ${first}`);
  });

  test('the verifier confirms the attempts of a receipt as the API returns them, and finds one that was changed', async () => {
    const { other, elsewhere } = user;
    const receipt = await readReceipt(elsewhere, other.userKey);
    expect(receipt.attempts).toHaveLength(2);
    expect(await verify([receipt])).toMatchObject({ code: 0 });
    receipt.attempts[0].provider = 'other';
    const { code, text } = await verify([receipt]);
    expect([code, text]).toEqual([1, expect.stringContaining(`${elsewhere}: attempts is`)]);
  });

  test('the statement of an account ends with the balance of its wallet', async () => {
    const { payload } = await open((await download(user.userId, second)).statement);
    const { money } = await prisma().wallet.findUniqueOrThrow({ where: { userId: user.userId } });
    expect(BigInt(Number(payload.closing))).toBe(money);
  });

  test('an app learns nothing of the user’s other apps @attack', async () => {
    const seen = [
      await readReceipt(echo),
      await readJson(user.userKey, '/v1/credits/statements'),
      await readJson(user.userKey, `/v1/credits/statements/${first}`),
    ];
    const account = await download(user.userId, first);
    const other = account.apps.find(({ entries }) => JSON.stringify(entries).includes(user.elsewhere));
    const hidden = [user.elsewhere, user.other.partnerId, user.userId, account.statement];
    for (const text of [...hidden, ...(other?.leaves ?? []), ...account.leaves])
      expect(JSON.stringify(seen)).not.toContain(text);
    const own = await open(seen[2].statement);
    // 100 bought, two requests: the 50 credits elsewhere are in no sum.
    expect(own.payload).toMatchObject({ entries: 3, opening: 0, other: { purchase: 100_000_000 } });
    const subjects = [own.payload.sub, (await open(account.statement)).payload.sub];
    expect(new Set([...subjects, (await open(other?.statement ?? '')).payload.sub]).size).toBe(3);
  });

  test('nobody else reads a statement @attack', async () => {
    const stranger = await newPerson({ credits: 1 });
    const elsewhere = await createPartner({ name: 'Third app', rateBp: 0, origins: [] });
    const sameUser = await inTransaction(async (tx) => {
      const owner = { userId: user.userId, partnerId: elsewhere.id };
      await openAppUser(tx, owner);
      return mintUserKey(tx, { ...owner, session: null });
    });
    for (const { userKey } of [stranger, sameUser]) {
      expect((await world.call(userKey, `/v1/credits/statements/${first}`)).status).toBe(404);
      expect((await readJson(userKey, '/v1/credits/statements')).data).toEqual([]);
    }
    for (const day of ['2024-03-07', '2024-02-30', 'account', '2024-03-05T00'])
      expect((await world.call(user.userKey, `/v1/credits/statements/${day}`)).status).toBe(404);
  });

  test('the list continues before a day', async () => {
    const page = await readJson(user.userKey, '/v1/credits/statements?limit=1');
    expect([page.data.map(({ day }: { day: string }) => day), page.has_more]).toEqual([[second], true]);
    const rest = await readJson(user.userKey, `/v1/credits/statements?limit=1&before=${second}`);
    expect([rest.data[0].day, rest.has_more]).toEqual([first, false]);
    expect(rest.data[0]).toMatchObject({ opening_credits: 0, other_credits: 100 });
    expect((await world.call(user.userKey, '/v1/credits/statements?before=x')).status).toBe(400);
  });

  type File = Awaited<ReturnType<typeof download>>;
  type Fields = Record<string, unknown>;
  const appOf = (file: File, id: string) => {
    const app = file.apps.find(({ entries }) => entries.some(({ request_id }) => request_id === id));
    const entry = app?.entries.find(({ request_id }) => request_id === id);
    if (app === undefined || entry === undefined) throw new Error(`no ${id}`);
    return { app, entry: entry as Fields };
  };
  const change = (change: (entry: Fields) => void) => (file: File) => change(appOf(file, echo).entry);

  /** A statement that only the signature tells from a real one. */
  function resign(jws: string, changed: Fields, key = generateKeyPairSync('ed25519').privateKey): string {
    const [header = '', payload = ''] = jws.split('.');
    const body = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changed };
    const input = `${header}.${Buffer.from(canonicalJson(body)).toString('base64url')}`;
    return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
  }

  test.each<[string, (file: File) => void, RegExp]>([
    [
      'a changed token count',
      change((entry) => {
        entry.output_tokens = Number(entry.output_tokens) + 1;
      }),
      new RegExp(`FAILED +${echo}`),
    ],
    [
      'a changed charge',
      change((entry) => {
        entry.charged = Number(entry.charged) + 1;
      }),
      new RegExp(`FAILED +${echo}: charged \\d+ microcredits, and its cost with 25% commission is \\d+`),
    ],
    [
      'a changed commission',
      change((entry) => {
        entry.commission_bp = 2_000;
      }),
      new RegExp(`FAILED +${echo}: charged .* with 20% commission`),
    ],
    [
      'a receipt whose changed numbers agree with each other',
      change((entry) => {
        Object.assign(entry, {
          input_tokens: 0,
          output_tokens: 0,
          charged: 0,
          provider_cost: 0,
          commission: 0,
        });
      }),
      new RegExp(`FAILED +${echo} is not as it was on ${first}`),
    ],
    [
      'a changed price',
      (file) => {
        const { app, entry } = appOf(file, echo);
        const price = app.prices.find(({ version }) => version === entry.price_version) as Fields;
        price.output = String(Number(price.output) * 2);
      },
      /FAILED +the price version sandbox\/echo@\S+ is not the one that the statement of 2024-03-05 covers/,
    ],
    [
      'a provider that is left out',
      (file) => {
        const { entry } = appOf(file, user.elsewhere);
        entry.attempts = (entry.attempts as unknown[]).slice(1);
      },
      new RegExp(`FAILED +${user.elsewhere} is not as it was on ${first}`),
    ],
    [
      'a removed receipt',
      (file) => {
        const { app, entry } = appOf(file, story);
        app.entries.splice(app.entries.indexOf(entry as never), 1);
      },
      /FAILED +2024-03-05: 1 entry of the signed 3 missing/,
    ],
    [
      'an added receipt',
      (file) => {
        const { app, entry } = appOf(file, echo);
        app.entries.push({ ...entry, request_id: 'req_added' } as never);
      },
      /FAILED +req_added is not as it was on 2024-03-05: it was changed or added/,
    ],
    ['a removed app', (file) => file.apps.pop(), /FAILED +2024-03-05: 1 entry of the signed 2 missing/],
    [
      'a changed sum',
      (file) => {
        const { app } = appOf(file, echo);
        app.statement = resign(app.statement, { charged: 1 });
      },
      /FAILED +the signature of the statement is wrong/,
    ],
    [
      'a key that is not published',
      (file) => {
        const [header = '', ...rest] = file.statement.split('.');
        const forged = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: 'forged' };
        file.statement = [Buffer.from(JSON.stringify(forged)).toString('base64url'), ...rest].join('.');
      },
      /FAILED +the statement is signed with a key that \S+ does not publish \(forged\)/,
    ],
    [
      'hashes that were not signed',
      (file) => {
        const { app, entry } = appOf(file, echo);
        entry.output_tokens = 0;
        app.leaves = app.entries.map((each) =>
          createHash('sha256')
            .update(Buffer.concat([Buffer.of(0), Buffer.from(canonicalJson(each))]))
            .digest('base64url'),
        );
      },
      /FAILED +2024-03-05: the hashes of the entries are not those that were signed/,
    ],
  ])('the verifier finds %s @attack', async (_, tamper, expected) => {
    const file = await download(user.userId, first);
    tamper(file);
    const { code, text } = await verify([file]);
    expect([code, text]).toEqual([1, expect.stringMatching(expected)]);
  });

  test('the verifier finds a day of another account in place of one', async () => {
    const stranger = await world.newUser();
    await pool().query("UPDATE watermark SET up_to = '2024-03-05' WHERE name = 'statements'");
    await closeBothDays();
    const [file, foreign] = [await download(user.userId, first), await download(stranger.userId, first)];
    file.apps = foreign.apps;
    expect((await verify([file])).code).toBe(1);
    const ofOther = await verify([foreign, await download(user.userId, second)]);
    // Both are right, but neither follows from the other.
    expect(ofOther.text).not.toContain('follows from');
  });

  test('the verifier finds a day that was signed again with other contents @attack', async () => {
    const [before, after] = [await download(user.userId, first), await download(user.userId, second)];
    const [, payload = ''] = before.statement.split('.');
    const signer = await openSigner();
    const again = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), iat: 1_900_000_000 };
    before.statement = signer.sign('svc-statement', again);
    const { code, text } = await verify([before, after]);
    expect([code, text]).toEqual([1, expect.stringContaining(`${second} does not follow from ${first}`)]);
  });

  test('the verifier trusts no other service than the one that the user names @attack', async () => {
    const file = await download(user.userId, first);
    const keys = `${world.folder}/keys.json`;
    writeFileSync(keys, await (await fetch(`${url}/.well-known/jwks.json`)).text());
    const { code, text } = await verify([file], '--service', 'https://pay.example.com', '--keys', keys);
    expect([code, text]).toEqual([1, expect.stringContaining('not by https://pay.example.com')]);
  });

  test('a row that is changed in the database after its day is found by its user, by its app and by the operator @attack', async () => {
    expect(await ledgerCheck()).not.toContain('daily statement');
    const row = `user_id = '${user.userId}' AND id = 'txn_${echo.slice(4)}'`;
    await whileForged(
      [`UPDATE ledger_transaction SET output_tokens = output_tokens + 1 WHERE ${row}`],
      async () => {
        const ofUser = await verify([await download(user.userId, first)]);
        expect([ofUser.code, ofUser.text]).toEqual([1, expect.stringMatching(new RegExp(`FAILED +${echo}`))]);
        const ofApp = await runVerifier([`${url}/v1/credits/receipts/${echo}`], user.userKey);
        expect([ofApp.code, ofApp.text]).toEqual([1, expect.stringContaining(echo)]);
        expect(await ledgerCheck()).toContain(
          `every booking of a closed day is in its daily statement: ${echo} is not`,
        );
      },
    );
  });

  test.each([
    [
      'a removed row',
      'DELETE FROM ledger_transaction WHERE',
      'every entry of a daily statement is booked: 1 are not',
    ],
    ['a row moved to the day', 'MOVE', 'every booking of a closed day is in its daily statement'],
  ])('ledger check finds %s @attack', async (_, what, expected) => {
    const row = (id: string) => `user_id = '${user.userId}' AND id = 'txn_${id.slice(4)}'`;
    const statement =
      what === 'MOVE'
        ? `UPDATE ledger_transaction SET created_at = '${first} 23:59:59' WHERE ${row(later)}`
        : `${what} ${row(story)}`;
    await whileForged([statement], async () => expect(await ledgerCheck()).toContain(expected));
  });

  test('ledger check finds a price that was changed, a statement that was replaced and one that is missing', async () => {
    const [price] = (await download(user.userId, first)).apps.flatMap(({ prices }) => prices);
    const version = String(price?.version);
    await whileForged(
      [`UPDATE model_price SET prices = jsonb_set(prices, '{output}', '"7"') WHERE version = '${version}'`],
      async () =>
        expect(await ledgerCheck()).toContain(
          `the prices of a daily statement are the stored ones: ${version} is not`,
        ),
    );
    const own = `user_id = '${user.userId}' AND day = '${first}'`;
    const other = `SELECT signed FROM daily_statement WHERE user_id = '${user.userId}' AND day = '${second}'`;
    await whileForged(
      [
        `UPDATE daily_statement SET signed = (${other} AND scope = 'account') WHERE ${own} AND scope = 'account'`,
      ],
      async () => expect(await ledgerCheck()).toContain('a daily statement has the root of its entries'),
    );
    await whileForged([`DELETE FROM daily_statement WHERE ${own}`], async () =>
      expect(await ledgerCheck()).toContain(`txn_${echo.slice(4)} has none`),
    );
  });

  test('statements and signing keys are never changed, and deleted only with their account', async () => {
    for (const statement of [
      "UPDATE daily_statement SET signed = ''",
      'DELETE FROM daily_statement',
      'TRUNCATE daily_statement',
      'DELETE FROM signing_key',
      "UPDATE signing_key SET public_key = ''",
    ])
      await expect(pool().query(statement)).rejects.toThrow('append-only');
    const leaver = await world.newUser();
    await closeBothDays();
    const count = () => prisma().dailyStatement.count({ where: { userId: leaver.userId } });
    expect(await count()).toBe(5);
    await deleteAccount(leaver.userId);
    expect(await count()).toBe(0);
    await closeBothDays();
    expect(await count()).toBe(0);
    expect(await ledgerCheck()).not.toContain('daily statement');
  });

  test('after a rotation, earlier statements and new receipts are verified, and the old key can sign nothing', async () => {
    const before = (await readReceipt(echo)).proof.receipt;
    await rotateSigningKey();
    const after = (await readReceipt(echo)).proof.receipt;
    const [old, next] = [await open(before), await open(after)];
    expect([old.isSigned, next.isSigned, old.payload]).toEqual([true, true, next.payload]);
    expect(old.header.kid).not.toBe(next.header.kid);
    expect((await verify([await download(user.userId, first)])).code).toBe(0);
    const stored = await prisma().signingKey.findUniqueOrThrow({ where: { id: String(old.header.kid) } });
    expect([stored.privateKey, stored.retiredAt]).toEqual([null, expect.any(Date)]);
    expect(await prisma().signingKey.count({ where: { retiredAt: null } })).toBe(1);
  });

  test('a statement that a retired key signed after its end is refused @attack', async () => {
    const file = await download(user.userId, first);
    const { keys } = await (await fetch(`${url}/.well-known/jwks.json`)).json();
    const used = JSON.parse(Buffer.from(file.statement.split('.')[0] ?? '', 'base64url').toString()).kid;
    const early = keys.map((key: { kid: string }) =>
      key.kid === used
        ? { ...key, created_at: '2024-01-01T00:00:00Z', retired_at: '2024-02-01T00:00:00Z' }
        : key,
    );
    const name = `${world.folder}/retired.json`;
    writeFileSync(name, JSON.stringify({ keys: early }));
    const { code, text } = await verify([file], '--keys', name);
    expect([code, text]).toEqual([1, expect.stringContaining('not in use at that time')]);
  });
});

test('instances that close a day at once make each statement once, with the first key of all', async () => {
  const people = await Promise.all([world.newUser(), world.newUser()]);
  const { rows } = await pool().query<{ day: string }>(
    "SELECT to_char(clock_timestamp() - interval '1 day', 'YYYY-MM-DD') AS day",
  );
  const yesterday = rows[0]?.day ?? '';
  for (const { userId } of people) await moveTo(yesterday, userId, 'true');
  await forge([
    `UPDATE watermark SET up_to = '${yesterday}' WHERE name = 'statements'`,
    'DELETE FROM signing_key',
    'DELETE FROM daily_statement',
  ]);
  await Promise.all(Array.from({ length: 5 }, () => closeDays(undefined, '0 seconds')));
  expect(await prisma().signingKey.count()).toBe(1);
  for (const { userId } of people) {
    expect(await prisma().dailyStatement.count({ where: { userId } })).toBe(3);
    expect((await verify([await download(userId, yesterday)])).code).toBe(0);
  }
  const { upTo } = await prisma().watermark.findUniqueOrThrow({ where: { name: 'statements' } });
  expect(upTo.getTime()).toBeGreaterThan(Date.parse(yesterday));
});

test('a day that is not over, or only just, stays open', async () => {
  await forge([
    "UPDATE watermark SET up_to = date_trunc('day', clock_timestamp()) WHERE name = 'statements'",
  ]);
  const { upTo } = await prisma().watermark.findUniqueOrThrow({ where: { name: 'statements' } });
  await closeDays();
  expect((await prisma().watermark.findUniqueOrThrow({ where: { name: 'statements' } })).upTo).toEqual(upTo);
  await forge([
    "UPDATE watermark SET up_to = date_trunc('day', clock_timestamp()) - interval '1 day' WHERE name = 'statements'",
  ]);
  await closeDays(undefined, '1 day');
  expect((await prisma().watermark.findUniqueOrThrow({ where: { name: 'statements' } })).upTo).not.toEqual(
    upTo,
  );
});
