import { pool } from '../../base/db';
import type { Json } from './canonical-json';
import { ACCOUNT } from './close-days';
import { type Entry, findEntry, readEntries } from './entries';
import { pathOf } from './merkle-tree';
import { type PublishedPrice, readPrices } from './prices';
import { openSigner } from './signing-keys';

/** Whose statements: those of one app, or those of the whole account, which only its owner may see. */
export type Scope = { userId: string; partnerId: string | 'account' };

/** What a statement says, as far as we read it ourselves. */
export type StatementPayload = {
  day: string;
  entries: number;
  root: string;
  charged: number;
  other: Record<string, number>;
  opening: number;
  closing: number;
  /** Of an account: those of all apps. */
  bookings?: number;
};

export type ListedStatement = StatementPayload & { signed: string };

/** Newest first, before a day (UTC). One more than `limit` shows that there are older ones. */
export async function listStatements(
  { userId, partnerId }: Scope,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ statements: ListedStatement[]; hasMore: boolean }> {
  const { rows } = await pool().query<{ signed: string }>(
    `SELECT signed FROM daily_statement
     WHERE user_id = $1 AND scope = $2 AND day < coalesce($3::date, 'infinity') ORDER BY day DESC LIMIT $4`,
    [userId, partnerId, before, limit + 1],
  );
  const statements = rows
    .slice(0, limit)
    .map(({ signed }) => ({ ...readPayload<StatementPayload>(signed), signed }));
  return { statements, hasMore: rows.length > limit };
}

/** A day as its owner verifies it: the statement, the entries as they are stored now, and the hashes that it covers. */
export type Day = {
  statement: string;
  entries: Entry['body'][];
  leaves: string[];
  prices: PublishedPrice[];
};

/** An account's day contains the statements of its apps. */
export type AccountDay = { statement: string; leaves: string[]; apps: Day[] };

/** Null if the app had no bookings on the day, or the day is not closed. */
export async function findDay({ userId, partnerId }: Scope, day: string): Promise<Day | null> {
  const stored = (await readStored(userId, day)).find(({ scope }) => scope === partnerId);
  if (stored === undefined) return null;
  const entries = await readEntries(pool(), userId, day);
  return writeDay(stored, entries);
}

/** The same for the whole account. */
export async function findAccountDay(userId: string, day: string): Promise<AccountDay | null> {
  const stored = await readStored(userId, day);
  const account = stored.find(({ scope }) => scope === ACCOUNT);
  if (account === undefined) return null;
  const entries = await readEntries(pool(), userId, day);
  const apps: Day[] = [];
  for (const app of stored) if (app !== account) apps.push(await writeDay(app, entries));
  return { statement: account.signed, leaves: writeHashes(splitLeaves(account.leaves)), apps };
}

export type ReceiptProof = {
  /** The receipt, signed. */
  receipt: string;
  /** Its price version, signed; null if it is not known. */
  price: string | null;
  /** Null until the day is closed, and if the receipt is not among the entries of the statement. */
  inclusion: { index: number; size: number; path: string[] } | null;
  /** The statement of the app's day; null until the day is closed. */
  statement: string | null;
};

/** Signs the receipt of a request as it is stored now, and proves that the statement of its day contains it. */
export async function findReceiptProof(userId: string, requestId: string): Promise<ReceiptProof | null> {
  const entry = await findEntry(pool(), userId, `txn_${requestId.slice('req_'.length)}`);
  if (entry === null) return null;
  const signer = await openSigner();
  const [price] = await readPrices(pool(), entry.priceVersion === null ? [] : [entry.priceVersion]);
  const day = String(entry.body.created_at).slice(0, 10);
  const stored = (await readStored(userId, day)).find(({ scope }) => scope === entry.partnerId);
  const leaves = stored ? splitLeaves(stored.leaves) : [];
  const index = leaves.findIndex((leaf) => leaf.equals(entry.leaf));
  return {
    receipt: signer.sign('svc-receipt', entry.body),
    price: price === undefined ? null : signer.sign('svc-price', price),
    inclusion: index < 0 ? null : { index, size: leaves.length, path: writeHashes(pathOf(index, leaves)) },
    statement: stored?.signed ?? null,
  };
}

export type StoredStatement = { scope: string; signed: string; leaves: Buffer };

/** Those of the apps in the order in which that of the account lists them. */
export async function readStored(userId: string, day: string): Promise<StoredStatement[]> {
  const { rows } = await pool().query<StoredStatement>(
    `SELECT s.scope, s.signed, s.leaves
     FROM (SELECT partner_id AS scope FROM user_app WHERE user_id = $1 UNION SELECT $3) known
     JOIN daily_statement s ON s.user_id = $1 AND s.scope = known.scope AND s.day = $2::date`,
    [userId, day, ACCOUNT],
  );
  return rows.sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

async function writeDay({ scope, signed, leaves }: StoredStatement, all: readonly Entry[]): Promise<Day> {
  const entries = all.filter(({ partnerId }) => partnerId === scope);
  return {
    statement: signed,
    entries: entries.map(({ body }) => body),
    leaves: writeHashes(splitLeaves(leaves)),
    prices: await readPrices(
      pool(),
      entries.flatMap(({ priceVersion }) => priceVersion ?? []),
    ),
  };
}

const HASH_BYTES = 32;

export function splitLeaves(leaves: Buffer): Buffer[] {
  return Array.from({ length: leaves.length / HASH_BYTES }, (_, index) =>
    leaves.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

const writeHashes = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64url'));

/** The payload of a JWS that we stored ourselves. */
export function readPayload<Payload>(signed: string): Payload & { readonly [name: string]: Json } {
  const [, payload = ''] = signed.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
}
