// @ts-check
import { LIMITED_CORES } from './workloads.mjs';

/**
 * Turns the figures of every round into medians, the table of loads, and the measures with their goals.
 *
 * @typedef {import('./rounds.mjs').Measured} Measured
 * @typedef {Record<string, Record<string, Measured[]>>} Rounds server → load → one entry per round
 * @typedef {{ rps: number, p50Ms: number, p99Ms: number, cpuMs: number, requests: number, rpsLow: number, rpsHigh: number }} Cell
 * @typedef {Record<string, Record<string, Cell>>} Results
 * @typedef {{ walBytes: number, diskBytes: number }} Writes per request
 *
 * @typedef {object} Figures of a whole run
 * @property {Results} results
 * @property {Record<string, Measured>} steady
 * @property {Record<string, Writes>} writes
 *
 * @typedef {object} Measure
 * @property {string} title
 * @property {number} digits
 * @property {number} [least] the goal
 * @property {number} [most] the goal
 * @property {(figures: Figures, server: string) => number} compute NaN if it was not measured
 */

export const GROWN = ' grown';
/** The goals are for this commit. */
const JUDGED = ['svc', `svc${GROWN}`];

/** @type {Measure[]} */
const MEASURES = [
  {
    title: 'worst 5 s ÷ median requests/s, steady load',
    digits: 2,
    least: 0.8,
    compute: ({ steady }, server) => steadinessOf(steady[server]?.samples ?? []),
  },
  { title: 'CPU ms per request, 32 connections', digits: 3, most: 0.22, compute: cpuOf('c32') },
  { title: 'CPU ms per request, 128 connections', digits: 3, most: 0.2, compute: cpuOf('c128') },
  {
    title: 'CPU ms per request, steady load, with all background work',
    digits: 3,
    compute: ({ steady }, server) => steady[server]?.cpuMs ?? Number.NaN,
  },
  { title: 'CPU ms per stream of 100 chunks', digits: 3, most: 0.55, compute: cpuOf('stream32') },
  {
    title: 'CPU per request, grown ÷ empty',
    digits: 2,
    most: 1.15,
    compute: ({ results }, server) =>
      server.endsWith(GROWN)
        ? cellOf(results, server, 'c32').cpuMs / cellOf(results, server.slice(0, -GROWN.length), 'c32').cpuMs
        : Number.NaN,
  },
  {
    title: 'bytes of write-ahead log per request',
    digits: 0,
    most: 1_200,
    compute: ({ writes }, server) => writes[server]?.walBytes ?? Number.NaN,
  },
  {
    title: 'bytes of disk per request',
    digits: 0,
    most: 500,
    compute: ({ writes }, server) => writes[server]?.diskBytes ?? Number.NaN,
  },
  { title: 'requests/s ÷ raw, 32 connections', digits: 2, least: 0.28, compute: ratioTo('raw', 'c32') },
  { title: 'requests/s ÷ raw, 128 connections', digits: 2, least: 0.33, compute: ratioTo('raw', 'c128') },
  { title: 'streams/s ÷ raw', digits: 2, least: 0.4, compute: ratioTo('raw', 'stream32') },
  {
    title: 'requests/s ÷ Portkey, 32 connections',
    digits: 1,
    least: 4.5,
    compute: ratioTo('portkey', 'c32'),
  },
  {
    title: 'requests/s ÷ LiteLLM without accounts, 32 connections',
    digits: 0,
    compute: ratioTo('litellm', 'c32'),
  },
  { title: 'added to a lone request, p50 ms', digits: 2, most: 1, compute: addedLatency('p50Ms') },
  { title: 'added to a lone request, p99 ms', digits: 2, most: 4, compute: addedLatency('p99Ms') },
  {
    title: 'requests/s, one user ÷ many',
    digits: 2,
    least: 0.8,
    compute: ({ results }, server) =>
      cellOf(results, server, 'hotUser32').rps / cellOf(results, server, 'c32').rps,
  },
  {
    title: `requests/s, two instances ÷ one, each limited to ${LIMITED_CORES} of a core`,
    digits: 2,
    least: 1.4,
    compute: ({ results }, server) =>
      cellOf(results, server, 'twoLimited128').rps / cellOf(results, server, 'limited128').rps,
  },
  {
    title: 'requests/s, two instances ÷ one, with all cores shared',
    digits: 2,
    compute: ({ results }, server) =>
      cellOf(results, server, 'twoInstances128').rps / cellOf(results, server, 'c128').rps,
  },
];

/** @param {string} load @returns {Measure['compute']} */
function cpuOf(load) {
  return ({ results }, server) => cellOf(results, server, load).cpuMs;
}

/** @param {string} other @param {string} load @returns {Measure['compute']} */
function ratioTo(other, load) {
  return ({ results }, server) => cellOf(results, server, load).rps / cellOf(results, other, load).rps;
}

/** The latency that a server adds to a single request, compared with the raw proxy. @param {'p50Ms' | 'p99Ms'} percentile @returns {Measure['compute']} */
function addedLatency(percentile) {
  return ({ results }, server) =>
    cellOf(results, server, 'c1')[percentile] - cellOf(results, 'raw', 'c1')[percentile];
}

/** @param {Results} results @param {string} server @param {string} load */
function cellOf(results, server, load) {
  const cell = results[server]?.[load];
  return cell ?? { rps: Number.NaN, p50Ms: Number.NaN, p99Ms: Number.NaN, cpuMs: Number.NaN };
}

/** @param {number[]} samples */
function steadinessOf(samples) {
  return samples.length === 0 ? Number.NaN : Math.min(...samples) / median(samples);
}

/** @param {Rounds} rounds @returns {Results} */
export function takeMedians(rounds) {
  return mapValues(rounds, (loads) =>
    mapValues(loads, (measured) => ({
      rps: median(measured.map(({ rps }) => rps)),
      p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
      p99Ms: median(measured.map(({ p99Ms }) => p99Ms)),
      cpuMs: median(measured.map(({ cpuMs }) => cpuMs)),
      requests: measured.reduce((sum, { requests }) => sum + requests, 0),
      rpsLow: Math.min(...measured.map(({ rps }) => rps)),
      rpsHigh: Math.max(...measured.map(({ rps }) => rps)),
    })),
  );
}

/**
 * @typedef {{ title: string, goal: string, values: Record<string, string>, met: boolean | null }} Judged
 *
 * @param {Figures} figures @param {string[]} products @returns {Judged[]}
 */
export function judge(figures, products) {
  return MEASURES.flatMap((measure) => {
    const { title, digits, least = -Infinity, most = Infinity, compute } = measure;
    const numbers = products.map((name) => ({ name, value: compute(figures, name) }));
    const measured = numbers.filter(({ value }) => !Number.isNaN(value));
    if (measured.length === 0) return [];
    const judged = measured.filter(({ name }) => JUDGED.includes(name));
    const hasGoal = 'least' in measure || 'most' in measure;
    return {
      title,
      goal: hasGoal ? `${'least' in measure ? '≥' : '≤'} ${measure.least ?? measure.most}` : '',
      values: Object.fromEntries(measured.map(({ name, value }) => [name, value.toFixed(digits)])),
      met: hasGoal && judged.length > 0 ? judged.every(({ value }) => value >= least && value <= most) : null,
    };
  });
}

/** @param {Results} results @param {Record<string, { title: string }>} workloads in the order of the table */
export function writeLoads(results, workloads) {
  const rows = Object.entries(workloads).flatMap(([load, { title }]) =>
    Object.entries(results).flatMap(([server, cells]) => {
      const cell = cells[load];
      return cell === undefined ? [] : [writeRow(title, server, cell, results.raw?.[load]?.rps)];
    }),
  );
  const head = ['load', 'server', 'requests/s', 'lowest–highest', 'p50 ms', 'p99 ms', 'CPU ms', '÷ raw'];
  return alignColumns([head, ...rows], 2);
}

/** @param {string} title @param {string} server @param {Cell} cell @param {number | undefined} rawRps */
function writeRow(title, server, { rps, rpsLow, rpsHigh, p50Ms, p99Ms, cpuMs }, rawRps) {
  const spread = `${count(rpsLow)}–${count(rpsHigh)}`;
  const share = rawRps === undefined ? '' : (rps / rawRps).toFixed(2);
  const cpu = Number.isNaN(cpuMs) ? '–' : cpuMs.toFixed(3);
  return [title, server, count(rps), spread, p50Ms.toFixed(2), p99Ms.toFixed(2), cpu, share];
}

/** @param {Judged[]} judged @param {string[]} products */
export function writeMeasures(judged, products) {
  const rows = judged.map(({ title, goal, values, met }) => [
    title,
    ...products.map((name) => values[name] ?? ''),
    goal,
    met === null ? '' : met ? 'met' : 'missed',
  ]);
  return alignColumns([['measure', ...products, 'goal', ''], ...rows], 1);
}

/** Rounds to significant digits for the file. @param {Results} results @returns {Results} */
export function roundFigures(results) {
  return mapValues(results, (cells) =>
    mapValues(cells, (cell) => ({
      rps: round(cell.rps, 0),
      p50Ms: round(cell.p50Ms, 2),
      p99Ms: round(cell.p99Ms, 2),
      cpuMs: round(cell.cpuMs, 4),
      requests: cell.requests,
      rpsLow: round(cell.rpsLow, 0),
      rpsHigh: round(cell.rpsHigh, 0),
    })),
  );
}

/** @param {string[][]} rows @param {number} texts how many columns are text; the others are numbers */
export function alignColumns(rows, texts) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((text, column) =>
        column < texts ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
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
