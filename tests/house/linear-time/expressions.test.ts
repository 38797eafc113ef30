import { expect, test } from 'vitest';
import { type Expression, findExpressions } from './expressions';
import { type Pump, worstInputs } from './worst-inputs';

/**
 * Anyone may write 64 kB of anything, so that no regular expression may take longer than the text is long. One that
 * is linear takes some 2 ms for its worst 64 kB, and a quadratic one 1 to 10 s. On a slow machine, where a linear
 * one may take longer, its time still grows with the text. Counted is the CPU time of this process, at best of
 * several runs, so that other processes do not matter.
 */
const LIMIT_MS = 20;
/** From an eighth of a text to all of it, the time of a linear expression grows 8 times, and of a quadratic one 64 times. */
const LIMIT_GROWTH = 24;
const RUNS = 10;
/** No other process makes a linear expression take this long, so that one run is enough. */
const CLEARLY_SLOW_MS = 10 * LIMIT_MS;
/** For a machine with much else to do. */
const TIMEOUT_MS = 600_000;
const LENGTH = 65_536;
/** Rising, so that an exponential or cubic expression is found before it takes minutes. */
const SHORT = [16, 22, 27, 32, 40, 512];
/** What takes 20 ms for all of it takes at least this for an eighth, if it grows by the square. */
const SCREENED = LENGTH / 8;
const SCREENED_MS = LIMIT_MS / 8 ** 2;

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The best of several runs, or of those until one takes no more than `enough`. By the clock first, which is read faster. */
function bestMs(run: () => void, enough: number): number {
  const begunAt = performance.now();
  run();
  let best = performance.now() - begunAt;
  if (best <= enough) return best;
  best = cpuMs(run);
  for (let count = 1; count < RUNS && best > enough && best < CLEARLY_SLOW_MS; count++) {
    best = Math.min(best, cpuMs(run));
  }
  return best;
}

function runnerOf({ source, flags, isRepeated }: Expression): (text: string) => void {
  const pattern = new RegExp(source, isRepeated && !flags.includes('g') ? `${flags}g` : flags);
  return (text) => {
    pattern.lastIndex = 0;
    if (isRepeated) text.replace(pattern, '');
    else pattern.test(text);
  };
}

function write({ before, word, after }: Pump, length: number): string {
  return before + word.repeat(Math.ceil(length / Math.max(1, word.length))) + after;
}

/** The input that takes too long. */
function findSlowInput(expression: Expression): (Pump & { length: number }) | null {
  const run = runnerOf(expression);
  for (const pump of worstInputs(expression.source, expression.flags)) {
    const bestOf = (length: number, enough: number) => {
      const text = write(pump, length);
      return bestMs(() => run(text), enough);
    };
    const isSlow = (length: number) => {
      const ms = bestOf(length, LIMIT_MS);
      return ms > LIMIT_MS && ms > LIMIT_GROWTH * bestOf(length / 8, 0);
    };
    for (const length of SHORT) if (bestOf(length, LIMIT_MS) > LIMIT_MS) return { ...pump, length };
    if (isSlow(SCREENED)) return { ...pump, length: SCREENED };
    if (bestOf(SCREENED, SCREENED_MS) > SCREENED_MS && isSlow(LENGTH)) return { ...pump, length: LENGTH };
  }
  return null;
}

const expressions = findExpressions();

test(
  'every regular expression of the product takes less than 20 ms for 64 kB of its worst input, or time in proportion to it @attack',
  () => {
    const bySource = new Map(
      expressions.map((expression) => [
        JSON.stringify([expression.source, expression.flags, expression.isRepeated]),
        expression,
      ]),
    );
    expect(bySource.size).toBeGreaterThan(350);
    const slow = [...bySource.values()].flatMap((expression) => {
      const input = findSlowInput(expression);
      return input === null ? [] : [{ ...expression, input }];
    });
    expect(slow).toEqual([]);
  },
  TIMEOUT_MS,
);

const SLOW: [what: string, pattern: RegExp][] = [
  ['a run at the end', /\/+$/],
  ['an address', /[^\s"'@<>\\]+@[^\s"'@<>\\]+\.[^\s"'@<>\\]+/g],
  ['an address, anchored', /^[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+$/],
  ['labels of a host', /\b(?:[a-z0-9-]+\.){2,}(?:com|net|org)\b(?::\d+)?/gi],
  ['blanks over several lines', /\n\s+at /],
  ['a line of a stack', /\n\s+at (?:async )?(\S+) \((?!node:)(?!.*\bnode_modules\b)/],
  ['anything between two words', /(redacted_)?thinking.*(expected|invalid|must)/is],
  ['a word inside a word', /^(billing_\w+|\w*spend_limit\w*|api_key_\w+)$/i],
  ['a version and a name', /\bVersion\/[\d.]+.*\bSafari\//],
  ['a label inside a host', /^(https?:\/\/)([^/:]*xn--[^/:]*)(:\d+)?$/],
  ['any word around a link', /\S*(?:\/\/|\bwww\.|\.\p{L}{2}|\d+\.\d+\.\d+\.\d)\S*/iu],
  ['blanks around a sign', /^\s*(\d{2})\s*\/?\s*(?:20)?(\d{2})\s*$/],
  ['an open bracket', /\[([^\]]*)\]/g],
  ['a fragment after each name', /(?:^|\/)([\w-]+\.md)(#.*)?$/],
  ['blanks around a line break', /\s*\n\s*/g],
  ['blanks before anything', /^bearer\s+(.*)$/i],
  ['nested repetitions', /^(a+)+b$/],
  ['overlapping choices', /^(?:\w|\d)*$/],
  ['optional blanks between words', /^(?:\w+\s?)+$/],
];

test.each(SLOW)(
  'a slow expression is recognised: %s',
  (_, { source, flags, global }) => {
    expect(findSlowInput({ place: '', source, flags, isRepeated: global })).not.toBeNull();
  },
  TIMEOUT_MS,
);
