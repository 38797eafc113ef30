import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { wholeCredits } from '@/server/base/credits';
import { inTransaction, pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { newId } from '@/server/base/ids';
import { createPartner } from '@/server/partners/partner';
import { openAppUser } from '@/server/people/app-users';
import { mintUserKey } from '@/server/people/keys/mint';
import { closeDay } from '@/server/reports/statements/close-days';
import { findAccountDay } from '@/server/reports/statements/read-statements';
import { startApi } from '../../harness/api-server';
import { newPerson, type Person } from '../../harness/people';
import { bookPaidSession } from '../../harness/purchases';
import { forge, RECOUNT_SPENT } from '../../ledger/forged-rows';

/** A user with requests in two apps on two days that are closed, and what the user has of them. */

export const DAYS = ['2024-03-05', '2024-03-06'] as const;

const ATTEMPTS = ['failed', 'responded'].map((outcome, at) => ({
  provider: 'sandbox',
  model: 'sandbox/echo',
  at: `2024-03-05T10:00:0${at}.000Z`,
  outcome,
}));

export async function startStatementWorld() {
  const { url } = await startApi();
  // Before the days of this world.
  await forge(["UPDATE model_price SET effective_at = '2000-01-01'"]);
  // The issuer, where verifiers find the keys.
  Object.assign(settings(), { BASE_URL: url });
  const folder = mkdtempSync(path.join(tmpdir(), 'statements-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const call = (key: string, where: string, body?: object) =>
    fetch(`${url}${where}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });

  async function generate(key: string, model = 'sandbox/echo'): Promise<string> {
    const messages = [{ role: 'user', content: 'Tell me of the sea' }];
    const response = await call(key, '/v1/chat/completions', { model, max_tokens: 20, messages });
    await response.text();
    return response.headers.get('x-request-id') ?? '';
  }

  async function newUser() {
    const person = await newPerson({ credits: 100, rateBp: 2_500 });
    const other = await joinAnotherApp(person);
    const requests = [
      [await generate(person.userKey), await generate(person.userKey, 'sandbox/story')],
      [await generate(person.userKey)],
    ];
    const elsewhere = await generate(other.userKey);
    // As if another provider had been asked before.
    await forge([
      `UPDATE ledger_transaction SET attempts = '${JSON.stringify(ATTEMPTS)}' WHERE id = 'txn_${elsewhere.slice(4)}'`,
    ]);
    const [first, second] = DAYS;
    await moveTo(first, person.userId, 'true');
    await moveTo(second, person.userId, `id = 'txn_${requests[1]?.[0]?.slice(4)}'`);
    return { ...person, other, requests: requests as [string[], string[]], elsewhere };
  }

  const readJson = async (key: string, where: string) => (await call(key, where)).json();

  /** Writes files as a user saves them, and runs the verifier of the served package. */
  function verify(files: object[], ...args: string[]): Promise<Verdict> {
    const names = files.map((file, at) => {
      const name = path.join(folder, `${newId('evt')}-${at}.json`);
      writeFileSync(name, JSON.stringify(file));
      return name;
    });
    return runVerifier(['--service', url, ...args, ...names]);
  }

  return { url, call, readJson, generate, newUser, verify, folder };
}

export type Verdict = { code: number; text: string };

/** `svc-verify` as its own process. */
export function runVerifier(args: string[], userKey = ''): Promise<Verdict> {
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      ['widget/loader/dist/verify.js', ...args],
      { env: { NODE_ENV: 'test', SVC_USER_KEY: userKey } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    ),
  );
}

async function joinAnotherApp({ userId }: Person) {
  const { id: partnerId } = await createPartner({ name: 'Another app', rateBp: 500, origins: [] });
  const owner = { userId, partnerId };
  return inTransaction(async (tx) => {
    await openAppUser(tx, owner);
    await bookPaidSession(tx, { ...owner, credits: wholeCredits(50), sessionId: newId('cks') });
    const { userKey } = await mintUserKey(tx, { ...owner, session: null });
    return { partnerId, userKey };
  });
}

/** As if it had been booked then; the ledger itself books only the present. */
export const moveTo = (day: string, userId: string, which: string) =>
  forge([
    `UPDATE ledger_transaction SET created_at = '${day}'::date + (created_at - date_trunc('day', created_at))
     WHERE user_id = '${userId}' AND (${which})`,
    RECOUNT_SPENT,
  ]);

export async function closeBothDays(): Promise<void> {
  for (const day of DAYS) await closeDay(day);
  await pool().query("UPDATE watermark SET up_to = '2024-03-07' WHERE name = 'statements'");
}

/** What the account page offers to download. */
export async function download(userId: string, day: string) {
  const found = await findAccountDay(userId, day);
  if (found === null) throw new Error(`no statement of ${day}`);
  return structuredClone(found);
}
