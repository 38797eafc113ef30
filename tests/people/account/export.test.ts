import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { pool } from '@/server/base/db';
import { newId } from '@/server/base/ids';
import {
  EXPORT_HEAD,
  findExportRefusal,
  type Owner,
  writeExport,
} from '@/server/reports/account-data/export';
import { LEFT_OUT, SECTIONS, WITHHELD_NAMES } from '@/server/reports/account-data/sections';
import { newDatabase } from '../../harness';
import { forge } from '../../ledger/forged-rows';
import { startCheckout } from '../../payments/checkout/checkout-world';
import { newBuyer } from '../../payments/top-up/buyer';
import { joinApp, newUser } from './person';

/** The export of an account contains everything about its user, no secret, and nothing about anyone else. */

await newDatabase();
await startCheckout();

async function exportOf(owner: Owner) {
  let text = EXPORT_HEAD;
  for await (const piece of writeExport(owner)) text += piece;
  return { text, file: JSON.parse(text) };
}

type Column = { table: string; column: string; type: string; isNullable: boolean };

async function readColumns(): Promise<Column[]> {
  const { rows } = await pool().query<Column>(
    `SELECT table_name AS table, column_name AS column, udt_name AS type, is_nullable = 'YES' AS "isNullable"
     FROM information_schema.columns WHERE table_schema = 'public' AND is_updatable = 'YES'
       AND table_name NOT LIKE '\\_prisma%' ORDER BY 1, ordinal_position`,
  );
  return rows;
}

describe('completeness', () => {
  const models = readFileSync('prisma/schema.prisma', 'utf8')
    .split(/^model /m)
    .slice(1)
    .map((text) => {
      const table = /@@map\("(\w+)"\)/.exec(text)?.[1] ?? '';
      const fields = [...text.matchAll(/^ {2}(\w+) +([\w.]+)(\S*)(.*)$/gm)];
      const stored = fields
        .filter(([, , type = '']) => /^(String|Int|BigInt|Boolean|DateTime|Json|Bytes|Decimal)$/.test(type))
        .map(([, field = '', type, , rest = '']) => ({
          column: /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field,
          isBytes: type === 'Bytes',
        }));
      return { table, stored, columns: stored.map(({ column }) => column) };
    });
  /** Columns that lead to a person. */
  const PERSONAL =
    /^(user_id|email|mailbox|key_id|session_id|visit_id|app_user_id|(first_)?request_id|purchase_id|actor|operator|\w+_by)$/;

  test('every table with something about a person is exported, or left out for a reason', () => {
    expect(models.length).toBeGreaterThan(70);
    const exported = SECTIONS.map(({ table }) => table);
    const personal = models.filter(({ columns }) => columns.some((column) => PERSONAL.test(column)));
    const forgotten = personal.filter(({ table }) => !exported.includes(table) && !(table in LEFT_OUT));
    expect(forgotten.map(({ table }) => table)).toEqual([]);
    const unknown = [...exported, ...Object.keys(LEFT_OUT)].filter(
      (name) => !models.some(({ table }) => table === name),
    );
    expect(unknown).toEqual([]);
    expect(exported.filter((table) => table in LEFT_OUT)).toEqual([]);
  });

  const columnsOf = (name: string) => models.find(({ table }) => table === name)?.columns ?? [];
  const isWithheldByName = (column: string) => WITHHELD_NAMES.some(([name]) => name.test(column));

  test.each(SECTIONS.map((section) => [section.table, section] as const))(
    'every column of %s is exported, or withheld for a reason',
    (table, { columns, withheld = {} }) => {
      const listed = [...columns, ...Object.keys(withheld)];
      const others = columnsOf(table).filter((column) => !listed.includes(column));
      expect(others.filter((column) => !isWithheldByName(column))).toEqual([]);
      expect(listed.filter((column) => !columnsOf(table).includes(column))).toEqual([]);
      expect(Object.keys(withheld).filter(isWithheldByName)).toEqual([]);
    },
  );

  /** Hashes, sealed text and ids that work like a password. */
  const SECRET = /hash|token(?!s)|secret|seal|password|cookie|browser|credential|challenge|handle|code|_key$/;

  test('no column that may hold a secret is exported @attack', () => {
    const exported = SECTIONS.flatMap(({ table, columns }) =>
      (models.find((model) => model.table === table)?.stored ?? []).filter(({ column }) =>
        columns.includes(column),
      ),
    );
    expect(exported.length).toBeGreaterThan(200);
    expect(exported.filter(({ column, isBytes }) => isBytes || SECRET.test(column))).toEqual([]);
  });

  test('names are unique, and no reason is empty', () => {
    const names = SECTIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const reasons = [
      ...[LEFT_OUT, ...SECTIONS.map(({ withheld = {} }) => withheld)].flatMap(Object.values),
      ...WITHHELD_NAMES.map(([, reason]) => reason),
    ];
    expect(reasons.filter((reason: string) => reason.length < 10)).toEqual([]);
  });
});

describe('what the file contains', () => {
  const OWNERS = ['ada', 'bob'] as const;
  type Name = (typeof OWNERS)[number];
  const markerOf = (owner: Name, table: string, column: string) => `${owner}-${table}-${column}`;
  const ownerOf = (owner: Name): Owner => ({
    userId: markerOf(owner, 'user', 'id'),
    email: markerOf(owner, 'user', 'email'),
  });
  /** Columns that name a row of another table. */
  const REFERENCES: Record<string, [string, string]> = {
    user_id: ['user', 'id'],
    email: ['user', 'email'],
    key_id: ['user_key', 'id'],
    partner_id: ['partner', 'id'],
    team_id: ['team', 'id'],
    purchase_id: ['purchase', 'id'],
  };
  const VALUES: Record<string, string> = {
    int2: '7',
    int4: '7',
    int8: '7',
    numeric: '7',
    bool: 'true',
    date: "'2026-11-21'",
    timestamptz: "'2026-11-21T10:00:00Z'",
    _inet: "'{203.0.113.7}'",
    inet: "'203.0.113.7'",
  };

  function writeValue(owner: Name, { table, column, type }: Column): string {
    const [of, name] = REFERENCES[column] ?? [table, column];
    const marker = table === 'ledger_transaction' && column === 'kind' ? 'usage' : markerOf(owner, of, name);
    if (column === 'no') return String(OWNERS.indexOf(owner));
    if (type === 'text') return `'${marker}'`;
    if (type === '_text') return `ARRAY['${marker}']`;
    if (type === 'bytea') return `'${marker}'::bytea`;
    if (type === 'jsonb' || type === 'json') return `'{"marker": "${marker}"}'`;
    return VALUES[type] ?? 'NULL';
  }

  let columns: Column[] = [];

  /** One row of each person in every table, with a text of its own in each column. */
  beforeAll(async () => {
    columns = await readColumns();
    const { rows } = await pool().query<{ statement: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement
       FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
    );
    const tables = [...new Set([...SECTIONS.map(({ table }) => table), ...Object.keys(LEFT_OUT), 'team'])];
    const inserts = OWNERS.flatMap((owner) =>
      tables.map((table) => {
        const own = columns.filter(
          (column) => column.table === table && !column.column.endsWith('_skeleton'),
        );
        const names = own.map(({ column }) => `"${column}"`).join(', ');
        const values = own.map((column) => writeValue(owner, column)).join(', ');
        return `INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE VALUES (${values}) ON CONFLICT DO NOTHING`;
      }),
    );
    await forge([...rows.map(({ statement }) => statement), ...inserts]);
  });

  const textColumns = (table: string) =>
    columns.filter((column) => column.table === table && /^(text|_text|bytea|jsonb)$/.test(column.type));
  const hex = (marker: string) => Buffer.from(marker).toString('hex');

  test.each(OWNERS)('each exported column of %s is in the file, and no other @attack', async (owner) => {
    const { file, text } = await exportOf(ownerOf(owner));
    expect(file).toMatchObject({ format: 'svc account export', version: 1, complete: true });
    for (const { name, table, columns: exported, also, isSingle } of SECTIONS) {
      const part = isSingle ? [file[name]] : file[name];
      expect([name, part.length]).toEqual([name, 1]);
      for (const { column } of textColumns(table)) {
        const [of, referred] = REFERENCES[column] ?? [table, column];
        if (table === 'ledger_transaction' && column === 'kind') continue;
        const marker = markerOf(owner, of, referred);
        const isShown = exported.includes(column) || also.some((more) => more.includes(column));
        const where = `${table}.${column}`;
        expect([where, JSON.stringify(part).includes(marker)]).toEqual([where, isShown]);
        expect([where, text.includes(hex(marker))]).toEqual([where, false]);
      }
    }
    const leftOut = Object.keys(LEFT_OUT).filter((table) => table !== 'partner');
    for (const table of leftOut) expect([table, text.includes(`${owner}-${table}-`)]).toEqual([table, false]);
  });

  test('nothing of anyone else and no account id is in the file @attack', async () => {
    const { text } = await exportOf(ownerOf('ada'));
    expect(text).not.toContain('bob-');
    expect(text).not.toContain(hex('bob-'));
    expect(text).not.toContain('ada-user-id');
    expect(text).toContain('ada-user-email');
  });
});

describe('a download', () => {
  test('contains every transaction once, in pieces of bounded size', async () => {
    const userId = await newUser();
    const [notes, chat] = [await joinApp(userId, 'Notes'), await joinApp(userId, 'Chat')];
    for (const { partnerId } of [notes, chat])
      await pool().query(
        `INSERT INTO ledger_transaction (user_id, id, partner_id, kind, key_id, model, provider, price_version, input_tokens,
           cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, output_tokens, reasoning_tokens, held, provider_cost,
           credits, balance_after, partner_share, estimated, cost_reported, rate_bp, outcome, created_at)
         SELECT $1, 'txn_' || $2 || n, $2, 'usage', 'key_1', 'sandbox/story', 'sandbox', 'v1', 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
           false, false, 0, 'completed', '2026-06-01T10:00:00Z'::timestamptz + n / 3 * interval '1 microsecond'
         FROM generate_series(1, 2500) n`,
        [userId, partnerId],
      );
    let text = EXPORT_HEAD;
    let longest = 0;
    for await (const piece of writeExport({ userId, email: 'nobody@example.com' })) {
      text += piece;
      longest = Math.max(longest, piece.length);
    }
    const { transactions } = JSON.parse(text) as { transactions: { id: string }[] };
    expect(transactions).toHaveLength(5_000);
    expect(new Set(transactions.map(({ id }) => id)).size).toBe(5_000);
    expect(longest).toBeLessThan(text.length / 4);
  });

  test('lists the saved cards by brand and last digits, without their ids', async () => {
    const { userId, email, cardId } = await newBuyer();
    const { file, text } = await exportOf({ userId, email });
    expect(file.saved_cards).toEqual([{ brand: 'visa', last4: '4242', expires: '2040-12' }]);
    expect(text).not.toContain(cardId);
    expect(file.account.email).toBe(email);
    expect(file.wallet.money).toBe(1_000_000_000);
  });

  test('is refused while two others are written, and works again when one of them ends @attack', async () => {
    const owner = { userId: newId('usr'), email: 'nobody@example.com' };
    const [one, two] = [writeExport(owner), writeExport(owner)];
    await Promise.all([one.next(), two.next()]);
    const refusal = await findExportRefusal(owner, 'download');
    expect(refusal).toEqual({ message: expect.stringContaining('in progress'), retryAfterSeconds: 60 });
    // The browser cancels.
    await one.return(undefined);
    expect(await findExportRefusal(owner, 'download')).toBeNull();
    await two.return(undefined);
  });

  test('is refused to a user who has downloaded ten in an hour @attack', async () => {
    const owner = { userId: newId('usr'), email: 'nobody@example.com' };
    for (let n = 0; n < 10; n++) expect(await findExportRefusal(owner, 'click')).toBeNull();
    expect(await findExportRefusal(owner, 'click')).toMatchObject({
      message: expect.stringContaining('10 times'),
    });
    expect(await findExportRefusal({ ...owner, userId: newId('usr') }, 'click')).toBeNull();
  });
});
