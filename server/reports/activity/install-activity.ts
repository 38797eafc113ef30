import { readLate } from '../../base/replica';

/** Activity of the whole installation, for its operators. Days are in UTC, sums in microcredits. */

export type Range = {
  /** The first day and the day after the last one, such as `2026-11-21`. */
  from: string;
  to: string;
};

export type Sums = {
  requests: number;
  /** Requests that failed or were disconnected after output began. They are charged for the output so far. */
  unfinished: number;
  charge: bigint;
  providerCost: bigint;
  partnerShare: bigint;
};

export type DaySums = Sums & { day: string };
export type NamedSums = Sums & { name: string };

const SUMS = `sum(requests)::float8 AS requests, sum(unfinished)::float8 AS unfinished,
  sum(charge)::bigint AS charge, sum(provider_cost)::bigint AS "providerCost", sum(partner_share)::bigint AS "partnerShare"`;

export async function readDays({ from, to }: Range): Promise<DaySums[]> {
  const { rows } = await readLate<DaySums>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, ${SUMS}
     FROM activity_by_partner WHERE day >= $1::date AND day < $2::date GROUP BY 1 ORDER BY 1`,
    [from, to],
  );
  return rows;
}

export async function readByPartner({ from, to }: Range): Promise<(NamedSums & { partnerId: string })[]> {
  const { rows } = await readLate<NamedSums & { partnerId: string }>(
    `SELECT a.*, coalesce(p.name, a."partnerId") AS name FROM (
       SELECT partner_id AS "partnerId", ${SUMS}
       FROM activity_by_partner WHERE day >= $1::date AND day < $2::date GROUP BY 1) a
     LEFT JOIN partner p ON p.id = a."partnerId" ORDER BY a.charge DESC`,
    [from, to],
  );
  return rows;
}

export async function readByModel({ from, to }: Range, limit: number): Promise<NamedSums[]> {
  const { rows } = await readLate<NamedSums>(
    `SELECT model AS name, ${SUMS}
     FROM activity_by_partner WHERE day >= $1::date AND day < $2::date GROUP BY 1 ORDER BY sum(charge) DESC LIMIT $3`,
    [from, to, limit],
  );
  return rows;
}

export async function readByProvider({ from, to }: Range): Promise<NamedSums[]> {
  const { rows } = await readLate<NamedSums>(
    `SELECT provider AS name, ${SUMS}
     FROM activity_by_partner WHERE day >= $1::date AND day < $2::date GROUP BY 1 ORDER BY 1`,
    [from, to],
  );
  return rows;
}

/** Credits added or removed, by kind: purchase · refund · chargeback · adjustment · promotion · correction. */
export async function readMoney({ from, to }: Range): Promise<Record<string, bigint>> {
  const { rows } = await readLate<{ kind: string; credits: bigint }>(
    `SELECT kind, sum(credits)::bigint AS credits FROM activity_money_day
     WHERE day >= $1::date AND day < $2::date GROUP BY 1`,
    [from, to],
  );
  return Object.fromEntries(rows.map(({ kind, credits }) => [kind, credits]));
}

export type RefusalDay = { day: string; code: string; count: number };

export async function readRefusals({ from, to }: Range): Promise<RefusalDay[]> {
  const { rows } = await readLate<RefusalDay>(
    `SELECT to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, code, sum(count)::float8 AS count
     FROM refusal_hour
     WHERE hour >= $1::date::timestamp AT TIME ZONE 'UTC' AND hour < $2::date::timestamp AT TIME ZONE 'UTC'
     GROUP BY 1, 2`,
    [from, to],
  );
  return rows;
}
