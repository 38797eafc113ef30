import type pg from 'pg';
import { now, SECOND_MS } from './clock';
import { pool, replicaPool } from './db';
import { log } from './log';

/**
 * Reads of the dashboards of partners and operators: charts, lists and exports. They may be a few seconds old, so a
 * streaming replica serves them if there is one. Nothing that decides about money, and nothing that its reader has just
 * written, is read here.
 */

/** The roll-ups that dashboards read are this old too. */
const MOST_LAG_SECONDS = 10;
const CHECKED_FOR_MS = 5 * SECOND_MS;

/** The lag is null if the replica does not respond, or is not a replica. */
export type ReplicaState = { isUsable: boolean; lagSeconds: number | null; reason: string };

let checked: { atMs: number; state: Promise<ReplicaState> } | undefined;
let lastReason = '';

/** Reads from the replica, or from the primary while there is none that keeps up. */
export async function readLate<Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[],
): Promise<pg.QueryResult<Row>> {
  const replica = replicaPool();
  if (replica === null || !(await checkReplica(replica)).isUsable) return pool().query<Row>(text, values);
  try {
    return await replica.query<Row>(text, values);
  } catch (error) {
    // The primary would take as long.
    if (codeOf(error) === STATEMENT_TIMEOUT) throw error;
    noteState({ isUsable: false, lagSeconds: null, reason: describe(error) });
    return pool().query<Row>(text, values);
  }
}

/** Null without a replica. */
export async function readReplicaState(): Promise<ReplicaState | null> {
  const replica = replicaPool();
  return replica && checkReplica(replica);
}

function checkReplica(replica: pg.Pool): Promise<ReplicaState> {
  if (checked !== undefined && now() - checked.atMs < CHECKED_FOR_MS) return checked.state;
  const state = readState(replica).then(noteState);
  checked = { atMs: now(), state };
  return state;
}

/** A connected replica that has replayed all it received keeps up, however long ago the last transaction was. */
const STATE = `
  SELECT pg_is_in_recovery() AS "isReplica",
    CASE WHEN NOT pg_is_in_recovery() THEN NULL
      WHEN EXISTS (SELECT FROM pg_stat_wal_receiver) AND pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn() THEN 0
      ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS lag`;

async function readState(replica: pg.Pool): Promise<ReplicaState> {
  try {
    const { rows } = await replica.query<{ isReplica: boolean; lag: number | null }>(STATE);
    const lagSeconds = rows[0]?.lag ?? null;
    if (rows[0]?.isReplica !== true) return { isUsable: false, lagSeconds, reason: 'it is not a replica' };
    const isUsable = lagSeconds !== null && lagSeconds <= MOST_LAG_SECONDS;
    return {
      isUsable,
      lagSeconds,
      reason: isUsable ? '' : `it is more than ${MOST_LAG_SECONDS} seconds behind`,
    };
  } catch (error) {
    return { isUsable: false, lagSeconds: null, reason: describe(error) };
  }
}

/** Until the next check. A change is logged once. */
function noteState(state: ReplicaState): ReplicaState {
  if (!state.isUsable) checked = { atMs: now(), state: Promise.resolve(state) };
  if (state.reason !== lastReason) {
    if (state.reason === '') log().info('dashboards read from the replica again');
    else log().warn({ error: state.reason }, 'dashboards read from the primary instead of the replica');
  }
  lastReason = state.reason;
  return state;
}

const STATEMENT_TIMEOUT = '57014';

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

const describe = (error: unknown): string => `it does not respond (${codeOf(error) || 'timeout'})`;
