import { DAY_MS, HOUR_MS, now, SECOND_MS } from '../../base/clock';
import { pool } from '../../base/db';
import {
  partOf,
  SERVICE_PARTS,
  type ServicePart,
  SLOT_MS,
  STATUS_DAYS,
} from '../../gateway/counts/status-counts';
import { catalogModels } from '../../gateway/pricing/catalog';
import { isConfigured } from '../../gateway/pricing/served';

/**
 * How the service and its providers work, for everyone. It has shares, not numbers of requests, which are
 * not public.
 */

export type PartState = 'working' | 'degraded' | 'failing' | 'unused';

export type PartStatus = {
  state: PartState;
  /** Of the last hour; null if nothing was counted. */
  okShare: number | null;
  /** The median time to a response of the last hour; null if it is not measured. */
  medianMs: number | null;
  /** Shares of the last 90 days, today last; null for days on which nothing was counted. */
  days: { day: string; okShare: number | null }[];
};

export type ServiceStatus = {
  readAt: Date;
  parts: (PartStatus & { part: ServicePart })[];
  providers: (PartStatus & { provider: string })[];
};

/** A single failure is no outage. */
const FEWEST_FAILURES = 3;
const WORKING_SHARE = 0.99;
const DEGRADED_SHARE = 0.9;

const FRESH_MS = 30 * SECOND_MS;
/** After a failure. */
const RETRY_MS = 5 * SECOND_MS;
let kept: { atMs: number; status: Promise<ServiceStatus> } | undefined;

/** The same for all readers for half a minute, so that any number of them costs two statements. */
export function readServiceStatus(): Promise<ServiceStatus> {
  if (kept !== undefined && now() - kept.atMs < FRESH_MS) return kept.status;
  const status = queryStatus();
  const own = { atMs: now(), status };
  kept = own;
  status.catch(() => {
    own.atMs -= FRESH_MS - RETRY_MS;
  });
  return status;
}

type Row = { part: string; isOk: boolean; count: number };
type SlotRow = Row & { upToMs: number };
type DayRow = Row & { day: string };

async function queryStatus(): Promise<ServiceStatus> {
  const since = new Date(Math.floor((now() - HOUR_MS) / SLOT_MS) * SLOT_MS);
  const days = lastDays();
  const [slots, sums] = await Promise.all([
    pool().query<SlotRow>(
      `SELECT part, is_ok AS "isOk", up_to_ms AS "upToMs", sum(count)::float8 AS count
       FROM status_count WHERE span = 'slot' AND begins_at >= $1 GROUP BY 1, 2, 3 ORDER BY up_to_ms`,
      [since],
    ),
    pool().query<DayRow>(
      `SELECT part, is_ok AS "isOk", to_char(begins_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
              sum(count)::float8 AS count
       FROM status_count WHERE span = 'day' AND begins_at >= $1 GROUP BY 1, 2, 3`,
      [`${days[0]}T00:00:00Z`],
    ),
  ]);
  const statusOf = (part: string) =>
    describePart(
      slots.rows.filter((row) => row.part === part),
      sums.rows.filter((row) => row.part === part),
      days,
    );
  const providers = [
    ...new Set(
      catalogModels()
        .filter(isConfigured)
        .map(({ provider }) => provider),
    ),
  ].sort();
  return {
    readAt: new Date(now()),
    parts: SERVICE_PARTS.map((part) => ({ part, ...statusOf(part) })),
    providers: providers.map((provider) => ({ provider, ...statusOf(partOf(provider)) })),
  };
}

/** Days in UTC, today last. */
const lastDays = (): string[] =>
  Array.from({ length: STATUS_DAYS }, (_, i) =>
    new Date(now() - (STATUS_DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );

function describePart(slots: SlotRow[], sums: DayRow[], days: string[]): PartStatus {
  const okShare = shareOf(slots);
  const failures = sum(slots.filter(({ isOk }) => !isOk));
  return {
    state: okShare === null ? 'unused' : judge(okShare, failures),
    okShare,
    medianMs: medianOf(slots.filter(({ isOk, upToMs }) => isOk && upToMs > 0)),
    days: days.map((day) => ({ day, okShare: shareOf(sums.filter((row) => row.day === day)) })),
  };
}

function judge(okShare: number, failures: number): PartState {
  if (okShare >= WORKING_SHARE || failures < FEWEST_FAILURES) return 'working';
  return okShare >= DEGRADED_SHARE ? 'degraded' : 'failing';
}

const sum = (rows: Row[]): number => rows.reduce((all, { count }) => all + count, 0);

function shareOf(rows: Row[]): number | null {
  const all = sum(rows);
  return all === 0 ? null : sum(rows.filter(({ isOk }) => isOk)) / all;
}

/** The class that contains the median. Rows are sorted by class. */
function medianOf(rows: SlotRow[]): number | null {
  const half = sum(rows) / 2;
  let upTo = 0;
  for (const { count, upToMs } of rows) {
    upTo += count;
    if (upTo >= half) return upToMs;
  }
  return null;
}
