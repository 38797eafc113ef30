import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { chargeFor, microcredits } from '@/server/base/credits';
import { pool } from '@/server/base/db';
import { settings } from '@/server/base/env';
import { randomBase62 } from '@/server/base/ids';
import { capture, createPayout, returnPayout } from '@/server/ledger';
import { readBackup } from '@/server/operator/cli/read-backup';
import { runCommand } from '@/server/operator/cli/run';
import { writeBackup } from '@/server/operator/cli/write-backup';
import { newDatabase } from '../harness';
import { addressOf, onDatabaseServer } from '../harness/database';
import { withClient } from '../harness/database-connection';
import { newPerson } from '../harness/people';
import { receipt } from '../ledger/receipt';
import { newTeam } from '../ledger/teams';
import { allow, buy, exactly, hold, newWallet } from '../ledger/wallets';

const { url } = await newDatabase();
const folder = mkdtempSync(path.join(tmpdir(), 'svc-backup-'));
const fileIn = (name: string) => path.join(folder, name);
const made: string[] = [];

/** An empty database, without any table. */
async function newEmpty(): Promise<string> {
  const name = `test_${randomBase62(12).toLowerCase()}`;
  await onDatabaseServer((client) => client.query(`CREATE DATABASE ${name}`));
  made.push(name);
  return addressOf(name);
}

afterAll(async () => {
  for (const name of made)
    await onDatabaseServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
});

/** Every row of every table, as text. */
const everything = (address: string) =>
  withClient(address, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('_prisma_migrations', 'sql_file') ORDER BY 1`,
    );
    const found: Record<string, string[]> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM "${name}" t ORDER BY 1`,
      );
      found[name] = rows.map(({ row }) => row);
    }
    return found;
  });

const wallet = await newWallet(['A', 'B'], { rateBp: 2500 });
await buy(wallet, 'A', 100);
await allow(wallet, 'B', 40);
await newPerson({ credits: 3 });
const admission = await hold(wallet, 'B', 5);
if (admission.ok) await capture(admission.hold, chargeFor(exactly(4), 2500), receipt());
// A row that is written during the backup.
await hold(wallet, 'A', 2);
await pool().query(`SELECT ledger_roll_up('0 seconds')`);
const planned = await createPayout({
  payoutId: 'po_1',
  teamId: await newTeam([wallet.apps.B?.id ?? '']),
  period: '2030-01',
  asOf: new Date('2030-01-01'),
  minimum: microcredits(0n),
  method: 'manual',
  approvedBy: null,
  processorAccountId: null,
  payee: { name: 'A team' },
});
await returnPayout({
  payoutId: 'po_1',
  from: ['planned'],
  to: 'returned',
  failure: 'The account is closed.',
});
await pool().query(
  `INSERT INTO audit_entry (team_id, at, actor, what) VALUES ('tm_1', now(), 'operator', 'test')`,
);
await pool().query(
  `INSERT INTO sandbox_object (id, body) VALUES ('a', '{"text": "line\\nbreak \\u00e9 \\"quoted\\"", "n": 1}')`,
);
await pool().query(`INSERT INTO audit_run (users, differences) VALUES (3, ARRAY['a, "b"', ''])`);

const complete = fileIn('whole.gz');
await writeBackup(url, complete);

describe('a backup', () => {
  it('contains payouts', () => {
    expect(planned).toMatchObject({ outcome: 'created' });
  });

  it('restores every row into an empty database, and new rows are numbered after it', async () => {
    const target = await newEmpty();
    await readBackup(target, complete);
    expect(await everything(target)).toEqual(await everything(url));
    await withClient(target, (client) =>
      client.query('INSERT INTO audit_run (users, differences) VALUES (1, ARRAY[]::text[])'),
    );
  });

  it('is readable by its owner only, and never overwrites another file', async () => {
    expect(statSync(complete).mode & 0o777).toBe(0o600);
    const before = readFileSync(complete);
    await expect(writeBackup(url, complete)).rejects.toThrow('already exists');
    expect(readFileSync(complete).equals(before)).toBe(true);
    expect(existsSync(`${complete}.part`)).toBe(false);
  });

  it('keeps a file that gets its name while it is written', async () => {
    const file = fileIn('other.gz');
    const written = writeBackup(url, file);
    writeFileSync(file, 'another file');
    await expect(written).rejects.toThrow(`${file} already exists`);
    expect(readFileSync(file, 'utf8')).toBe('another file');
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  it('says what to do about the rest of an interrupted one', async () => {
    const file = fileIn('interrupted.gz');
    writeFileSync(`${file}.part`, 'half of a f');
    await expect(writeBackup(url, file)).rejects.toThrow('If none is running, remove it.');
    expect(existsSync(file)).toBe(false);
  });

  it('is refused with the reason where no file can be written', async () => {
    await expect(writeBackup(url, fileIn('nowhere/whole.gz'))).rejects.toThrow(
      '(ENOENT). Check that its folder exists',
    );
  });
});

const lines = gunzipSync(readFileSync(complete)).toString().split('\n');
const damaged = (name: string, content: string): string => {
  writeFileSync(fileIn(name), gzipSync(content));
  return fileIn(name);
};

describe('a backup made while the ledger had differences', () => {
  it('is restored on request, and each difference is printed', async () => {
    const file = damaged('different.gz', lines.join('\n').replace(/"own":[1-9]\d*/, '"own":1'));
    const target = await newEmpty();
    const given = settings().DATABASE_URL;
    process.env.DATABASE_URL = target;
    Object.assign(settings(), { DATABASE_URL: target });
    try {
      let output = '';
      const terminal = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
      expect(await runCommand(['db', 'restore', file, '--despite-differences'], terminal)).toBe(1);
      expect(output).toMatch(/^Restored \d+ rows in \d+ tables\. The ledger has differences:\n/);
      expect(output).toContain('every pocket exists and equals the sum of its postings');
      expect(output).toContain('a wallet equals the sum of its pockets');
    } finally {
      process.env.DATABASE_URL = given;
      Object.assign(settings(), { DATABASE_URL: given });
    }
    const restored = await everything(target);
    const original = await everything(url);
    expect(Object.entries(restored).filter(([name, rows]) => rows.join() !== original[name]?.join())).toEqual(
      [['user_app', expect.anything()]],
    );
  });
});

describe('a restore changes nothing when', () => {
  async function expectRefused(file: string, reason: RegExp): Promise<void> {
    const target = await newEmpty();
    await expect(readBackup(target, file)).rejects.toThrow(reason);
    const rows = Object.entries(
      await everything(target).catch(() => ({}) as Record<string, string[]>),
    ).filter(([table, found]) => table !== 'watermark' && found.length > 0);
    expect(rows).toEqual([]);
  }

  it('the file ends too early', async () => {
    await expectRefused(damaged('short.gz', lines.slice(0, -3).join('\n')), /end is missing/);
    writeFileSync(fileIn('cut.gz'), readFileSync(complete).subarray(0, 900));
    await expectRefused(fileIn('cut.gz'), /incomplete or corrupt/);
  });

  it('a row is missing', async () => {
    const index = lines.findIndex((line) => line.startsWith('{"id":"a","body"'));
    await expectRefused(
      damaged('gone.gz', lines.toSpliced(index, 1).join('\n')),
      /sandbox_object should have 1/,
    );
  });

  it('its ledger does not agree', async () => {
    const text = lines.join('\n').replace(/"own":[1-9]\d*/, '"own":1');
    await expectRefused(damaged('money.gz', text), /ledger failed the audit.*--despite-differences/);
  });

  it('it has another schema, or is no backup', async () => {
    const head = JSON.parse(String(lines[0])) as { migrations: string[] };
    head.migrations.push('29990101000000_later abc');
    const other = [JSON.stringify(head), ...lines.slice(1)].join('\n');
    await expectRefused(damaged('schema.gz', other), /different schema.*29990101000000_later/);
    await expectRefused(damaged('other.gz', '{"hello":1}\n'), /not a backup/);
    await expectRefused(fileIn('nothing.gz'), /File not found/);
  });

  it('the database is not empty', async () => {
    const before = await everything(url);
    await expect(readBackup(url, complete)).rejects.toThrow(/not empty/);
    expect(await everything(url)).toEqual(before);
  });
});

it('the commands report what they did', async () => {
  let output = '';
  const terminal = { out: (text: string) => (output += text), err: (text: string) => (output += text) };
  expect(await runCommand(['db', 'backup', fileIn('cli.gz')], terminal)).toBe(0);
  expect(output).toMatch(/\d+ rows in \d+ tables/);
  output = '';
  expect(await runCommand(['db', 'restore', fileIn('cli.gz')], terminal)).toBe(1);
  expect(output).toMatch(/^The database is not empty[^\n]*\n$/);
});
