// @ts-check

/**
 * Turns the figures of every round into medians, ratios, the table and the goals.
 *
 * @typedef {import('./load.mjs').Figures} Figures
 * @typedef {Record<string, Record<string, Figures[]>>} Rounds server → workload → one entry per round
 * @typedef {Figures & { rpsLow: number, rpsHigh: number }} Cell
 * @typedef {Record<string, Record<string, Cell>>} Results
 * @typedef {Record<string, number | null>} Ratios
 */

export const GOALS = { raw32: 0.3, portkey32: 4 };

/** @param {Rounds} rounds @returns {Results} */
export function takeMedians(rounds) {
  return mapValues(rounds, (workloads) =>
    mapValues(workloads, (figures) => ({
      rps: median(figures.map(({ rps }) => rps)),
      p50Ms: median(figures.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(figures.map(({ p99Ms }) => p99Ms)),
      requests: figures.reduce((sum, { requests }) => sum + requests, 0),
      rpsLow: Math.min(...figures.map(({ rps }) => rps)),
      rpsHigh: Math.max(...figures.map(({ rps }) => rps)),
    })),
  );
}

/** The requests per second of this product divided by another's; null where one of the two did not run. @param {Results} results @returns {Ratios} */
export function computeRatios(results) {
  /** @param {string} workload @param {string} other @param {string} [otherWorkload] */
  const ratio = (workload, other, otherWorkload = workload) => {
    const ours = results.svc?.[workload]?.rps;
    const theirs = results[other]?.[otherWorkload]?.rps;
    return ours === undefined || theirs === undefined ? null : round(ours / theirs, 3);
  };
  return {
    raw1: ratio('c1', 'raw'),
    raw32: ratio('c32', 'raw'),
    raw128: ratio('c128', 'raw'),
    stream32: ratio('stream32', 'raw'),
    portkey1: ratio('c1', 'portkey'),
    portkey32: ratio('c32', 'portkey'),
    portkey128: ratio('c128', 'portkey'),
    hotUser32: ratio('hotUser32', 'svc', 'c32'),
  };
}

/** The latency that a server adds to a single request, compared with the raw proxy. @param {Results} results */
export function computeAddedLatency(results) {
  const base = results.raw?.c1?.p50Ms;
  /** @param {string} server */
  const added = (server) => {
    const own = results[server]?.c1?.p50Ms;
    return own === undefined || base === undefined ? null : round(own - base, 2);
  };
  return { svcMs: added('svc'), portkeyMs: added('portkey') };
}

/**
 * @param {object} report
 * @param {Record<string, { title: string }>} report.workloads in the order of the table
 * @param {Results} report.results
 * @param {Ratios} report.ratios
 * @param {ReturnType<typeof computeAddedLatency>} report.addedLatency
 * @param {ReturnType<typeof judgeGoals>} report.goals
 * @param {boolean | null} report.agrees
 */
export function printReport({ workloads, results, ratios, addedLatency, goals, agrees }) {
  const known = Object.entries(ratios).filter(([, value]) => value !== null);
  console.log(`\n${writeTable(results, workloads)}\n`);
  console.log(
    `ratios of svc: ${known.map(([name, value]) => `${name} ${value}`).join(' · ') || 'not measured'}`,
  );
  console.log(
    `added to a lone request (p50): svc ${addedLatency.svcMs ?? '–'} ms · portkey ${addedLatency.portkeyMs ?? '–'} ms`,
  );
  console.log(`ledger check: ${agrees === null ? 'not run' : agrees ? 'agrees' : 'DOES NOT AGREE'}`);
  for (const { line } of goals) console.log(line);
}

/** @param {Results} results @param {Record<string, { title: string }>} workloads */
function writeTable(results, workloads) {
  const rows = Object.entries(workloads).flatMap(([workload, { title }]) =>
    Object.entries(results).flatMap(([server, cells]) => {
      const cell = cells[workload];
      return cell === undefined ? [] : [writeRow(title, server, cell, results.raw?.[workload]?.rps)];
    }),
  );
  const head = ['load', 'server', 'requests/s', 'lowest–highest', 'p50 ms', 'p99 ms', '× raw'];
  return alignColumns([head, ...rows]);
}

/** @param {string} title @param {string} server @param {Cell} cell @param {number | undefined} rawRps */
function writeRow(title, server, cell, rawRps) {
  const spread = `${count(cell.rpsLow)}–${count(cell.rpsHigh)}`;
  const share = rawRps === undefined ? '' : (cell.rps / rawRps).toFixed(2);
  return [title, server, count(cell.rps), spread, cell.p50Ms.toFixed(2), cell.p99Ms.toFixed(2), share];
}

/** One line per goal. @param {Ratios} ratios */
export function judgeGoals(ratios) {
  return Object.entries(GOALS).map(([name, goal]) => {
    const value = ratios[name] ?? null;
    const met = value !== null && value >= goal;
    const verdict = value === null ? 'not measured' : met ? 'met' : 'NOT met';
    return {
      met,
      line: `goal ${name} ≥ ${goal.toFixed(2)}: ${value === null ? '–' : value.toFixed(2)} ${verdict}`,
    };
  });
}

/** Rounds to significant digits for the file. @param {Results} results @returns {Results} */
export function roundFigures(results) {
  return mapValues(results, (cells) =>
    mapValues(cells, (cell) => ({
      rps: round(cell.rps, 0),
      p50Ms: round(cell.p50Ms, 2),
      p99Ms: round(cell.p99Ms, 2),
      requests: cell.requests,
      rpsLow: round(cell.rpsLow, 0),
      rpsHigh: round(cell.rpsHigh, 0),
    })),
  );
}

/** @param {string[][]} rows the first two columns are text, the others numbers */
function alignColumns(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  return lines.join('\n');
}

/** @param {number} value */
export const count = (value) => Math.round(value).toLocaleString('en-US');

/** @param {number} value @param {number} digits */
const round = (value, digits) => Number(value.toFixed(digits));

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/**
 * @template From, To
 * @param {Record<string, From>} record
 * @param {(value: From) => To} change
 * @returns {Record<string, To>}
 */
function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
