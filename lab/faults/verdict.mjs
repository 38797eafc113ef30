// @ts-check
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../bench/funded-keys.mjs';
import { findLeftovers, query } from '../bench/product-database.mjs';

/** Longer than the lease of a hold, and the time until the others look for expired ones. */
const HOLDS_SECONDS = 150;
const POLL_MS = 500;
const MOST_EXAMPLES = 3;

/**
 * Compares what clients saw with what is booked, once no request holds credits any more.
 *
 * @param {import('./world.mjs').World} world
 * @param {import('./steady-load.mjs').Seen[]} seen
 */
export async function judge(world, seen) {
  const database = { pid: 0, url: world.databaseUrl };
  const beganMs = performance.now();
  const secondsSince = () => (performance.now() - beganMs) / 1_000;
  const isHeld = async () => (await query(database, 'SELECT FROM hold LIMIT 1')).length > 0;
  while ((await isHeld()) && secondsSince() < HOLDS_SECONDS) await sleep(POLL_MS);
  const holdsSeconds = secondsSince();
  const receipts = await query(database, 'SELECT request_id, charge::float8 AS charge FROM usage');
  const problems = [
    ...(await findLeftovers(database)),
    ...compare(seen, new Map(receipts.map((row) => [row.request_id, row.charge]))),
    ...(await checkLedger(world)),
  ];
  return { holdsSeconds, problems };
}

/** @param {import('./steady-load.mjs').Seen[]} seen @param {Map<string, number>} booked */
function compare(seen, booked) {
  const charged = (/** @type {import('./steady-load.mjs').Seen} */ one) => booked.get(one.requestId);
  const answered = seen.filter((one) => one.requestId !== '');
  const wrong = {
    'complete responses that are not booked': answered.filter(
      (one) => one.outcome === 'ok' && charged(one) === undefined,
    ),
    'responses booked with another charge than they reported': answered.filter(
      (one) => one.charged !== null && charged(one) !== one.charged,
    ),
    'refused requests that are booked': answered.filter(
      (one) => one.status >= 400 && charged(one) !== undefined,
    ),
  };
  return Object.entries(wrong).flatMap(([what, found]) =>
    found.length === 0
      ? []
      : [
          `${found.length} ${what}, such as ${found
            .slice(0, MOST_EXAMPLES)
            .map(({ requestId, status }) => `${requestId} (${status})`)
            .join(', ')}`,
        ],
  );
}

/** @param {import('./world.mjs').World} world */
async function checkLedger(world) {
  try {
    await runCommand(world.instance(0), ['ledger', 'check']);
    return [];
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : '';
    return [`ledger check: ${output || error}`];
  }
}
