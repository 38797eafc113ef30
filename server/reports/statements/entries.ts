import type { ClientBase } from 'pg';
import type { ReceiptAttempt } from '../../ledger';
import { canonicalJson, type Json } from './canonical-json';
import { leafOf } from './merkle-tree';

/**
 * What statements list: each booking that changes a user's credits, a request as its receipt. The id of an entry is
 * random (89 bits), so nobody can guess an entry from its hash.
 */

export type Entry = {
  /** The transaction. */
  id: string;
  partnerId: string;
  /** Signed change of the user's credits. */
  credits: bigint;
  /** Of a request. */
  priceVersion: string | null;
  kind: string;
  /** What is signed: microcredits. */
  body: { readonly [name: string]: Json };
  leaf: Buffer;
};

type Row = {
  id: string;
  partner_id: string;
  kind: string;
  created_at: Date;
  credits: bigint;
  corrected_request: string | null;
  model: string | null;
  provider: string;
  price_version: string;
  outcome: string;
  estimated: boolean;
  cost_reported: boolean;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cache_write_1h_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  web_searches: number | null;
  input_units: number | null;
  output_units: number | null;
  rate_bp: number;
  held: bigint;
  provider_cost: bigint;
  partner_share: bigint;
  attempts: ReceiptAttempt[] | null;
};

const COLUMNS = `t.id, t.partner_id, t.kind, t.created_at, t.credits,
  CASE t.kind WHEN 'correction' THEN 'req_' || substr(t.note, 5) END AS corrected_request, t.model, t.provider, t.price_version, t.outcome,
  t.estimated, t.cost_reported, t.input_tokens, t.cache_read_tokens, t.cache_write_tokens, t.cache_write_1h_tokens,
  t.output_tokens, t.reasoning_tokens, t.web_searches, t.input_units, t.output_units, t.rate_bp::int, t.held, t.provider_cost, t.partner_share,
  t.attempts`;

/** Saved allowances and what partners lose by disputes leave the user's credits as they are. */
export const CHANGES_CREDITS = "kind NOT IN ('permission', 'earnings_reversal')";

/** The bookings of a day (UTC), of each app in the order in which they were booked. */
export async function readEntries(client: Reader, userId: string, day: string): Promise<Entry[]> {
  // By pocket, as the index is.
  const { rows } = await client.query<Row>(
    `SELECT ${COLUMNS} FROM user_app u JOIN ledger_transaction t USING (user_id, partner_id)
     WHERE u.user_id = $1 AND t.created_at >= $2::date AND t.created_at < $2::date + 1
       AND ledger_slot(t.created_at) >= ledger_slot($2::date) AND ledger_slot(t.created_at) <= ledger_slot($2::date + 1)
       AND t.${CHANGES_CREDITS}
     ORDER BY t.partner_id, t.created_at, t.id`,
    [userId, day],
  );
  return rows.map(toEntry);
}

export async function findEntry(client: Reader, userId: string, id: string): Promise<Entry | null> {
  const { rows } = await client.query<Row>(
    `SELECT ${COLUMNS} FROM ledger_transaction t WHERE t.user_id = $1 AND t.id = $2 AND t.${CHANGES_CREDITS}`,
    [userId, id],
  );
  return rows[0] ? toEntry(rows[0]) : null;
}

export type Reader = Pick<ClientBase, 'query'>;

function toEntry(row: Row): Entry {
  const body = row.model === null ? writeMovement(row) : writeReceipt(row, row.model);
  return {
    id: row.id,
    partnerId: row.partner_id,
    kind: row.kind,
    credits: row.credits,
    priceVersion: row.model === null ? null : row.price_version,
    body,
    leaf: leafOf(canonicalJson(body)),
  };
}

/** A correction names the request that was charged too much. */
const writeMovement = ({ id, kind, created_at, credits, corrected_request: corrected }: Row) => ({
  type: kind,
  id,
  ...(corrected !== null && { corrects: corrected }),
  created_at: created_at.toISOString(),
  credits: Number(credits),
});

const writeReceipt = (row: Row, model: string) => ({
  type: 'receipt',
  request_id: `req_${row.id.slice('txn_'.length)}`,
  created_at: row.created_at.toISOString(),
  model,
  provider: row.provider,
  price_version: row.price_version,
  outcome: row.outcome,
  estimated: row.estimated,
  cost_reported: row.cost_reported,
  input_tokens: row.input_tokens,
  cached_input_tokens: row.cache_read_tokens,
  cache_write_tokens: row.cache_write_tokens,
  cache_write_1h_tokens: row.cache_write_1h_tokens,
  output_tokens: row.output_tokens,
  reasoning_tokens: row.reasoning_tokens,
  web_searches: row.web_searches ?? 0,
  // Absent without any, as in the statements from before there were units.
  ...(row.input_units !== null && { input_units: row.input_units }),
  ...(row.output_units !== null && { output_units: row.output_units }),
  commission_bp: row.rate_bp,
  held: Number(row.held),
  provider_cost: Number(row.provider_cost),
  commission: Number(row.partner_share),
  charged: -Number(row.credits),
  ...(row.attempts && { attempts: row.attempts.map(writeAttempt) }),
});

const writeAttempt = ({ provider, model, at, outcome }: ReceiptAttempt) => ({ provider, model, at, outcome });
