import { HOUR_MS, MINUTE_MS, now, nowDate, SECOND_MS } from '../../base/clock';
import { pool } from '../../base/db';
import { describeWait } from '../../base/describe-wait';
import { describeError, log } from '../../base/log';
import { countAttempt } from '../../base/rate-limit/attempts';
import { listSavedCards } from '../../payments/checkout/saved-cards';
import { SECTIONS, type Section } from './sections';

/**
 * Everything that an account holds, as one JSON document ([docs/data.md](../../docs/data.md)). It is written while it is
 * read, a thousand rows at a time, and each read is a statement of its own: a slow download holds no connection.
 */

const EXPORT_FORMAT = 'svc account export';
const EXPORT_VERSION = 1;

export type Owner = { userId: string; email: string };

const ROWS_AT_ONCE = 1_000;
const PER_HOUR = 10;
const AT_ONCE = 2;
/** A download that takes longer is broken off, and no longer counts before that. */
const MAX_TIME_MS = 15 * MINUTE_MS;

/** When each export of this process began. */
const running = new Set<{ beganAtMs: number }>();

export type ExportRefusal = { message: string; retryAfterSeconds: number };

/** Counts an export of the account: the click, and then the download. Null if it may go ahead. */
export async function findExportRefusal(
  { userId }: Owner,
  step: 'click' | 'download',
): Promise<ExportRefusal | null> {
  const waitMs = await countAttempt(`account-export-${step}`, userId, PER_HOUR, HOUR_MS);
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / SECOND_MS);
    const message = `You can download your data ${PER_HOUR} times an hour. Try again in ${describeWait(retryAfterSeconds)}.`;
    return { message, retryAfterSeconds };
  }
  const others = [...running].filter(({ beganAtMs }) => now() - beganAtMs < MAX_TIME_MS);
  if (others.length < AT_ONCE) return null;
  return { message: 'Other downloads are in progress. Try again in a minute.', retryAfterSeconds: 60 };
}

/** The beginning of the document. */
export const EXPORT_HEAD = `{"format":"${EXPORT_FORMAT}","version":${EXPORT_VERSION}`;

/** The rest of the document, in pieces. */
export async function* writeExport(owner: Owner): AsyncGenerator<string> {
  const own = { beganAtMs: now() };
  running.add(own);
  try {
    yield `,"created_at":${JSON.stringify(nowDate())}`;
    for (const section of SECTIONS) yield* writeSection(section, owner, own.beganAtMs);
    yield `,"saved_cards":${JSON.stringify(await readCards(owner))}`;
    // The last field: a file without it is incomplete.
    yield ',"complete":true}\n';
  } finally {
    running.delete(own);
  }
}

async function* writeSection(section: Section, owner: Owner, beganAtMs: number): AsyncGenerator<string> {
  const name = `,\n${JSON.stringify(section.name)}:`;
  if (section.isSingle) {
    const [row] = (await readRows(section, owner, null, null)).map(({ json }) => json);
    yield name + (row ?? 'null');
    return;
  }
  yield `${name}[`;
  let isFirst = true;
  for (const pocket of section.byPocket ? await readPocketIds(owner) : [null]) {
    for (let after: string[] | null = null; ; ) {
      if (now() - beganAtMs > MAX_TIME_MS) throw new Error('the download of an account took too long');
      const rows: Row[] = await readRows(section, owner, pocket, after);
      if (rows.length > 0) yield (isFirst ? '' : ',') + rows.map(({ json }) => json).join(',\n');
      isFirst &&= rows.length === 0;
      if (rows.length < ROWS_AT_ONCE) break;
      after = rows.at(-1)?.place ?? null;
    }
  }
  yield ']';
}

type Row = { json: string; place: string[] };

/** The next rows of a section. PostgreSQL writes the JSON, so every number is exact. */
async function readRows(
  section: Section,
  { userId, email }: Owner,
  pocket: string | null,
  after: string[] | null,
): Promise<Row[]> {
  const values = [section.by === 'email' ? email : userId, ...(pocket === null ? [] : [pocket])];
  const place = [...(section.keyPrefix ?? []), ...section.key.map((column) => `t.${column}`)];
  const conditions = [
    section.where ?? 't.user_id = $1',
    ...(pocket === null ? [] : ['t.partner_id = $2']),
    ...(after === null ? [] : [`(${place}) > (${after.map((_, n) => `$${values.length + n + 1}`)})`]),
  ];
  const { rows } = await pool().query<Row>(
    `SELECT (SELECT row_to_json(o) FROM (SELECT ${expressionsOf(section)}) o)::text AS json,
       ARRAY[${place.map((column) => `${column}::text`)}] AS place
     FROM "${section.table}" t ${section.join}
     WHERE ${conditions.join(' AND ')} ORDER BY ${place} LIMIT ${ROWS_AT_ONCE}`,
    [...values, ...(after ?? [])],
  );
  return rows;
}

const expressionsOf = ({ columns, also }: Section): string =>
  [...columns.map((column) => `t.${column}`), ...also].join(', ');

async function readPocketIds({ userId }: Owner): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>(
    'SELECT partner_id AS id FROM user_app WHERE user_id = $1 ORDER BY partner_id',
    [userId],
  );
  return rows.map(({ id }) => id);
}

type Card = { brand: string; last4: string; expires: string };

/** Cards are stored at the payment processor only; null if it cannot be reached. */
async function readCards({ userId }: Owner): Promise<Card[] | null> {
  try {
    const cards = await listSavedCards(userId);
    return cards.map(({ brand, last4, expiryYear, expiryMonth }) => ({
      brand,
      last4,
      expires: `${expiryYear}-${String(expiryMonth).padStart(2, '0')}`,
    }));
  } catch (error) {
    log().warn({ error: describeError(error) }, 'an export lacks the saved cards');
    return null;
  }
}
