/** The year's rows as the database names them, kept until they are written in one go. */

export const TABLES = [
  'user',
  'team',
  'team_member',
  'partner',
  'partner_origin',
  'partner_rate',
  'session',
  'user_key',
  'wallet',
  'user_app',
  'checkout_session',
  'purchase',
  'ledger_transaction',
  'refusal_hour',
  'provider_failure_hour',
] as const;

export type TableName = (typeof TABLES)[number];
export type Row = Record<string, unknown>;
export type Rows = Record<TableName, Row[]>;

export function noRows(): Rows {
  return Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Rows;
}

/** The server's functions calculate in bigint; JSON takes them as text. */
export const asJson = (rows: readonly Row[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
