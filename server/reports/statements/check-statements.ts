import { now } from '../../base/clock';
import { pool, querySlowly } from '../../base/db';
import { isArchived } from './archived-day';
import { ACCOUNT, hashOf } from './close-days';
import { CHANGES_CREDITS, type Entry, readEntries } from './entries';
import { leafOf, rootOf } from './merkle-tree';
import { hashPrices, readPrices } from './prices';
import {
  readPayload,
  readStored,
  type StatementPayload,
  type StoredStatement,
  splitLeaves,
} from './read-statements';

/**
 * Compares every daily statement with what is booked now, and returns the differences. Statements and bookings of
 * closed days never change, so each day is read by itself. It sleeps as long as each step took.
 */
export async function checkStatements(pause: (ms: number) => Promise<void>): Promise<string[]> {
  const differences = await findUnstated();
  for (let after = ''; ; ) {
    const [user] = await querySlowly<{ id: string; name: string }>(
      `SELECT s.user_id AS id, (SELECT min(app_user_id) FROM user_app a WHERE a.user_id = s.user_id) AS name
       FROM daily_statement s WHERE s.user_id > $1 ORDER BY s.user_id LIMIT 1`,
      [after],
    );
    if (user === undefined) return differences;
    const begunAt = now();
    differences.push(...(await checkUser(user)));
    after = user.id;
    await pause(now() - begunAt);
  }
}

type Checked = { id: string; name: string };
type Payload = StatementPayload & { previous: string | null; prices?: Record<string, string> };

/** Compares the statements of a day with what is booked now. Empty if nothing was changed since. */
export async function checkDay(userId: string, day: string): Promise<string[]> {
  return compareDay(userId, day, await readStored(userId, day));
}

async function checkUser({ id, name }: Checked): Promise<string[]> {
  const { rows: days } = await pool().query<{ day: string }>(
    `SELECT DISTINCT to_char(day, 'YYYY-MM-DD') AS day FROM daily_statement WHERE user_id = $1 ORDER BY 1`,
    [id],
  );
  const differences: string[] = [];
  const last = new Map<string, StoredStatement>();
  for (const { day } of days) {
    const stored = await readStored(id, day);
    const found = [...(await compareDay(id, day, stored)), ...stored.flatMap((next) => followOn(last, next))];
    differences.push(...found.map((text) => `${text} (${day}, ${name})`));
  }
  return differences;
}

async function compareDay(
  userId: string,
  day: string,
  stored: readonly StoredStatement[],
): Promise<string[]> {
  const entries = await readEntries(pool(), userId, day);
  const versions = entries.flatMap(({ priceVersion }) => priceVersion ?? []);
  const hashes = hashPrices(await readPrices(pool(), versions));
  const isPartial = await isArchived(day);
  return stored.flatMap((statement) => {
    const payload = readPayload<Payload>(statement.signed);
    return [
      ...compareEntries(statement, { entries, stored, isPartial }),
      // Of archived receipts, only the hashes are left.
      ...(isPartial ? [] : comparePrices(payload, hashes)),
      ...(isPartial ? [] : compareSums(statement, payload, entries)),
    ];
  });
}

/** Notes the statement as the last one of its scope. */
function followOn(last: Map<string, StoredStatement>, next: StoredStatement): string[] {
  const before = last.get(next.scope);
  last.set(next.scope, next);
  if (before === undefined) return [];
  const { previous, opening } = readPayload<Payload>(next.signed);
  const follows =
    previous === hashOf(before.signed) && opening === readPayload<Payload>(before.signed).closing;
  return follows ? [] : ['a daily statement follows from the one before: it does not'];
}

type Booked = { entries: readonly Entry[]; stored: readonly StoredStatement[]; isPartial: boolean };

function compareEntries(statement: StoredStatement, { entries: all, stored, isPartial }: Booked): string[] {
  const expected = splitLeaves(statement.leaves);
  const leaves =
    statement.scope === ACCOUNT
      ? stored
          .filter(({ scope }) => scope !== ACCOUNT)
          .map(({ scope, signed }) => ({ name: scope, leaf: leafOf(signed) }))
      : all
          .filter(({ partnerId }) => partnerId === statement.scope)
          .map(({ id, body, leaf }) => ({ name: String(body.request_id ?? id), leaf }));
  const known = new Set(expected.map((leaf) => leaf.toString('hex')));
  const present = new Set(leaves.map(({ leaf }) => leaf.toString('hex')));
  const missing = [...known].filter((leaf) => !present.has(leaf)).length;
  const { root } = readPayload<Payload>(statement.signed);
  return [
    ...leaves
      .filter(({ leaf }) => !known.has(leaf.toString('hex')))
      .map(({ name }) => `every booking of a closed day is in its daily statement: ${name} is not`),
    ...(missing > 0 && !isPartial ? [`every entry of a daily statement is booked: ${missing} are not`] : []),
    ...(rootOf(expected).toString('base64url') === root
      ? []
      : ['a daily statement has the root of its entries: it does not']),
  ];
}

const comparePrices = ({ prices = {} }: Payload, hashes: Record<string, string>): string[] =>
  Object.entries(prices)
    .filter(([version, hash]) => hashes[version] !== hash)
    .map(([version]) => `the prices of a daily statement are the stored ones: ${version} is not`);

function compareSums(
  { scope }: StoredStatement,
  { opening, closing }: Payload,
  all: readonly Entry[],
): string[] {
  const own = all.filter(({ partnerId }) => scope === ACCOUNT || partnerId === scope);
  const booked = own.reduce((sum, { credits }) => sum + Number(credits), 0);
  return closing - opening === booked
    ? []
    : [
        `the bookings of a closed day change the balance as its statement says: they differ by ${booked - closing + opening}`,
      ];
}

/** Bookings of closed days, since the first statement, of accounts that still exist. */
async function findUnstated(): Promise<string[]> {
  const rows = await querySlowly<{ id: string }>(
    `SELECT t.id FROM ledger_transaction t
     WHERE t.created_at >= (SELECT min(day) FROM daily_statement)
       AND t.created_at < (SELECT up_to FROM watermark WHERE name = 'statements') AND t.${CHANGES_CREDITS}
       AND EXISTS (SELECT 1 FROM "user" u WHERE u.id = t.user_id AND u.deleted_at IS NULL)
       AND NOT EXISTS (SELECT 1 FROM daily_statement s
         WHERE s.user_id = t.user_id AND s.scope = t.partner_id AND s.day = (t.created_at AT TIME ZONE 'UTC')::date)
     LIMIT 100`,
    [],
  );
  return rows.map(({ id }) => `every booking of a closed day is in its daily statement: ${id} has none`);
}
