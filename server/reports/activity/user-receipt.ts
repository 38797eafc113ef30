import { pool } from '../../base/db';
import { pricesOf } from '../../gateway/pricing/cost';
import {
  isPricedByMillion,
  writeCallPrice,
  writeListPrice,
  writeUnitPrice,
} from '../../gateway/pricing/list-price';
import { findPrices } from '../../gateway/pricing/price-history';
import type { UnitKind } from '../../gateway/protocols/neutral';
import { JOIN_RUN_KEY, type ReceiptCorrection, readCorrections, type StoredReceipt } from '../../ledger';

/** One class of tokens on a receipt, or the calls of a tool that the provider ran. */
export type ReceiptLine = {
  unit:
    | 'input'
    | 'cache_read'
    | 'cache_write'
    | 'cache_write_1h'
    | 'output'
    | 'web_search'
    | 'input_unit'
    | 'output_unit';
  /** Of units: what is counted; null when the price version is no longer known. */
  kind: UnitKind | null;
  count: number;
  /** USD per million tokens or characters, per 1,000 calls, or per other unit; null when the price version is no longer known. */
  price: string | null;
  /** Exact, in picocredits. */
  cost: bigint | null;
};

/** The metered usage and the charge for one of the user's own requests. */
export type UserReceipt = StoredReceipt & {
  partnerId: string;
  appName: string;
  keyId: string;
  /** The commission when the request was admitted, in basis points. */
  rateBp: number;
  lines: ReceiptLine[];
  /** The amount each pocket paid. The pocket outside any app has no name. */
  paidFrom: { appName: string | null; amount: bigint }[];
  /** The overrun loss: metered beyond the hold and paid by the operator, not the user. */
  notCharged: bigint;
  corrections: ReceiptCorrection[];
};

type Row = StoredReceipt & {
  partnerId: string;
  appName: string;
  keyId: string;
  rateBp: number;
  paidFrom: { app_name: string | null; amount: string }[];
  notCharged: string;
};

/** Checked before the query, because PostgreSQL rejects some strings. */
export const isRequestId = (text: string): boolean => /^req_\w+$/.test(text);

/** Returns null when the user has no such request, even if another user does. */
export async function findUserReceipt(userId: string, requestId: string): Promise<UserReceipt | null> {
  if (!isRequestId(requestId)) return null;
  const { rows } = await pool().query<Row>(
    `SELECT u.request_id AS "requestId", u.created_at AS "createdAt", u.model, u.provider, u.price_version AS "priceVersion",
            u.input_tokens AS "inputTokens", u.cache_read_tokens AS "cacheReadTokens", u.cache_write_tokens AS "cacheWriteTokens",
            u.cache_write_1h_tokens AS "cacheWrite1hTokens", u.output_tokens AS "outputTokens",
            u.reasoning_tokens AS "reasoningTokens", u.web_searches AS "webSearches", u.input_units AS "inputUnits", u.output_units AS "outputUnits", u.held, u.provider_cost AS "providerCost",
            u.partner_share AS "partnerShare", u.charge, u.estimated, u.outcome, u.attempts, u.data_rules AS "dataRules",
            run_key_id AS "runKeyId", label AS "runKeyLabel",
            u.rate_bp AS "rateBp", u.partner_id AS "partnerId", p.name AS "appName", u.key_id AS "keyId",
            coalesce((SELECT json_agg(json_build_object('app_name', o.name, 'amount', (-e.amount)::text))
              FROM ledger_entry e LEFT JOIN partner o ON o.id = e.partner_id
              WHERE e.user_id = $1 AND e.transaction_id = u.transaction_id AND e.account = 'pocket'), '[]') AS "paidFrom",
            coalesce((SELECT -sum(e.amount) FROM ledger_entry e
              WHERE e.user_id = $1 AND e.transaction_id = u.transaction_id AND e.account = 'overrun_loss'), 0)::text AS "notCharged"
     FROM usage u
     JOIN partner p ON p.id = u.partner_id
     ${JOIN_RUN_KEY}
     WHERE u.user_id = $1 AND u.transaction_id = 'txn_' || substr($2, 5)`,
    [userId, requestId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    ...row,
    lines: await priceLines(row),
    paidFrom: row.paidFrom.map(({ app_name, amount }) => ({ appName: app_name, amount: BigInt(amount) })),
    notCharged: BigInt(row.notCharged),
    corrections: await readCorrections(userId, requestId),
  };
}

/** Tokens times price for each token class, and calls of tools. What the request did not use is omitted. */
export async function priceLines(receipt: StoredReceipt): Promise<ReceiptLine[]> {
  const usage = {
    input: receipt.inputTokens,
    cacheRead: receipt.cacheReadTokens,
    cacheWrite5m: receipt.cacheWriteTokens,
    cacheWrite1h: receipt.cacheWrite1hTokens,
    output: receipt.outputTokens,
    reasoning: receipt.reasoningTokens,
  };
  const version = await findPrices(receipt.priceVersion);
  const prices = version && pricesOf(usage, version);
  const line = (
    unit: ReceiptLine['unit'],
    count: number,
    price: bigint | undefined,
    kind: UnitKind | null = null,
  ): ReceiptLine => ({
    unit,
    kind,
    count,
    price: price === undefined ? null : writerOf(unit, kind)(price),
    cost: price === undefined ? null : BigInt(count) * price,
  });
  const { inputUnit, outputUnit } = version ?? {};
  return [
    line('input', usage.input, prices?.input),
    line('cache_read', usage.cacheRead, prices?.cacheRead),
    line('cache_write', usage.cacheWrite5m, prices?.cacheWrite5m),
    line('cache_write_1h', usage.cacheWrite1h, prices?.cacheWrite1h),
    line('output', usage.output, prices?.output),
    line('web_search', receipt.webSearches ?? 0, version?.webSearch),
    line('input_unit', receipt.inputUnits ?? 0, inputUnit?.price, inputUnit?.kind),
    line('output_unit', receipt.outputUnits ?? 0, outputUnit?.price, outputUnit?.kind),
  ].filter(({ count }) => count > 0);
}

function writerOf(unit: ReceiptLine['unit'], kind: UnitKind | null): (price: bigint) => string {
  if (unit === 'web_search') return writeCallPrice;
  return kind === null || isPricedByMillion(kind) ? writeListPrice : writeUnitPrice;
}

/** Finds the user who made a request; null if it was not charged. */
export async function findUserOfRequest(requestId: string): Promise<string | null> {
  if (!isRequestId(requestId)) return null;
  const { rows } = await pool().query<{ id: string }>(
    "SELECT user_id AS id FROM usage WHERE transaction_id = 'txn_' || substr($1, 5)",
    [requestId],
  );
  return rows[0]?.id ?? null;
}
