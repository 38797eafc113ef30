import { pool } from '../../base/db';
import type { CsvCell } from '../../base/http/csv';
import { inUsd } from './statement';

/**
 * What a platform reports about the partners it paid in a calendar year (UTC): 1099 forms in the United States,
 * DAC7 in the EU. One row for each team and currency received; a payout counts on the day it was sent, and not at
 * all if it was returned.
 */

const QUARTERS = [1, 2, 3, 4] as const;

export const YEARLY_HEADER = [
  'year',
  'team id',
  'team',
  'name',
  'address',
  'country',
  'tax id',
  'currency',
  ...QUARTERS.flatMap((quarter) => [
    `Q${quarter} payouts`,
    `Q${quarter} paid (USD)`,
    `Q${quarter} received (currency)`,
  ]),
  'payouts',
  'paid (USD)',
  'received (currency)',
];

type Row = {
  teamId: string;
  team: string;
  name: string | null;
  address: string[] | null;
  country: string | null;
  taxId: string | null;
  currency: string;
  counts: number[];
  amounts: string[];
  received: string[];
};

/** The payee as the team's newest payout of the year says it, otherwise as saved now. */
const SQL = `
  WITH paid AS (
    SELECT team_id, payee, sent_at, amount, coalesce(lower(paid_currency), 'usd') AS currency,
           coalesce(paid_minor, amount / 1000000) AS minor,
           extract(quarter FROM sent_at AT TIME ZONE 'UTC')::integer AS quarter
    FROM payout
    WHERE state = 'sent' AND sent_at >= make_timestamptz($1, 1, 1, 0, 0, 0, 'UTC')
      AND sent_at < make_timestamptz($1 + 1, 1, 1, 0, 0, 0, 'UTC')
  ),
  payee AS (
    SELECT DISTINCT ON (team_id) team_id, payee FROM paid WHERE payee IS NOT NULL ORDER BY team_id, sent_at DESC
  ),
  sums AS (
    SELECT team_id, currency, quarter, count(*)::integer AS payouts, sum(amount)::bigint AS amount,
           sum(minor)::bigint AS minor
    FROM paid GROUP BY 1, 2, 3
  )
  SELECT t.id AS "teamId", t.name AS team, currency,
         coalesce(p.payee ->> 'name', d.name) AS name,
         CASE WHEN p.payee IS NULL THEN d.address
           ELSE ARRAY(SELECT jsonb_array_elements_text(p.payee -> 'address')) END AS address,
         coalesce(p.payee ->> 'country', d.country, a.country) AS country,
         CASE WHEN p.payee IS NULL THEN d.tax_id ELSE p.payee ->> 'taxId' END AS "taxId",
         array_agg(coalesce(s.payouts, 0) ORDER BY q.quarter) AS counts,
         array_agg(coalesce(s.amount, 0) ORDER BY q.quarter) AS amounts,
         array_agg(coalesce(s.minor, 0) ORDER BY q.quarter) AS received
  FROM (SELECT DISTINCT team_id, currency FROM paid) k
  CROSS JOIN generate_series(1, 4) AS q(quarter)
  LEFT JOIN sums s USING (team_id, currency, quarter)
  JOIN team t ON t.id = team_id
  LEFT JOIN payee p USING (team_id)
  LEFT JOIN payee_details d USING (team_id)
  LEFT JOIN payout_account a USING (team_id)
  GROUP BY t.id, t.name, currency, p.payee, d.team_id, a.team_id
  ORDER BY t.id, currency`;

/** The rows below `YEARLY_HEADER`. */
export async function readYearlyRows(year: number): Promise<CsvCell[][]> {
  const { rows } = await pool().query<Row>(SQL, [year]);
  return rows.map((row) => {
    const address = row.address?.length ? row.address.join(', ') : '';
    const sum = (values: string[]) => values.reduce((all, value) => all + BigInt(value), 0n);
    return [
      year,
      row.teamId,
      row.team,
      row.name ?? '',
      address,
      row.country ?? '',
      row.taxId ?? '',
      row.currency.toUpperCase(),
      ...QUARTERS.flatMap((_, index) => [
        row.counts[index] ?? 0,
        inUsd(BigInt(row.amounts[index] ?? 0), 2),
        inMajor(BigInt(row.received[index] ?? 0), row.currency),
      ]),
      row.counts.reduce((all, count) => all + count, 0),
      inUsd(sum(row.amounts), 2),
      inMajor(sum(row.received), row.currency),
    ];
  });
}

/** `11.50`; yen have no decimals. */
function inMajor(minor: bigint, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  const digits = minor.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
