/**
 * The work of measuring the documents of a request, which share one allowance: the service runs in one event
 * loop. Counted instead of timed, so that the same file is always measured alike.
 */
export type Work = { left: number };

/** In steps of a nanosecond, roughly. */
const MAX_WORK = 45_000_000;
/** What each step of the measuring takes at most. */
export const WORK = {
  document: 20_000,
  fileByte: 0.75,
  /** Everything outside streams is searched for a dozen things. */
  textByte: 18,
  match: 500,
  stream: 3_000,
  /** Of a stream, in a page. */
  use: 60,
  read: 20_000,
  inflatedByte: 2,
  base85Byte: 40,
  contentByte: 6,
  string: 30,
  stringByte: 8,
  code: 3,
};

export const newWork = (): Work => ({ left: MAX_WORK });

/** Of many requests, each of which gets at most what a single one has. Some tenths of a second. */
export const newSharedWork = (): Work => ({ left: 20 * MAX_WORK });

/** Returns false when there is not enough left. What was measured then counts for nothing. */
export function spend(work: Work, steps: number): boolean {
  work.left -= steps;
  return work.left >= 0;
}

/** The matches, up to the work that is left. */
export function* findAll(text: string, pattern: RegExp, work: Work): Generator<RegExpExecArray> {
  for (const match of text.matchAll(pattern)) {
    if (!spend(work, WORK.match)) return;
    yield match;
  }
}
