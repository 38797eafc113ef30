import { NO_TOKENS, writeUnits } from '../protocols/neutral';
import { largerCount } from './count';
import { NOTHING_REPORTED, type Reported } from './metered-usage';

/**
 * What a response of OpenAI's formats reports. The prompt includes what was read from and written to the
 * cache, and the total includes everything. Null where nothing is reported.
 */
export type Counts = {
  prompt: number | null;
  cached: number | null;
  written: number | null;
  output: number | null;
  reasoning: number | null;
  total: number | null;
  searches: number | null;
  /** The tokens of audio in the prompt and in the output, where they have a price of their own. */
  heard: number | null;
  spoken: number | null;
};

/** Counts of one response never fall: a later report that lacks or lowers one does not replace it. */
export const keepLarger = (earlier: Counts | null, later: Counts): Counts =>
  earlier === null
    ? later
    : {
        prompt: largerCount(earlier.prompt, later.prompt),
        cached: largerCount(earlier.cached, later.cached),
        written: largerCount(earlier.written, later.written),
        output: largerCount(earlier.output, later.output),
        reasoning: largerCount(earlier.reasoning, later.reasoning),
        total: largerCount(earlier.total, later.total),
        searches: largerCount(earlier.searches, later.searches),
        heard: largerCount(earlier.heard, later.heard),
        spoken: largerCount(earlier.spoken, later.spoken),
      };

/**
 * The usage that the counts prove, as disjoint classes. A missing count is the difference between the total and the
 * other one. `isOutside` means that the provider's output does not include reasoning.
 */
export function deriveUsage(counts: Counts, isOutside: boolean): Reported {
  const { output, total } = counts;
  const reasoning = counts.reasoning ?? 0;
  const prompt = findPrompt(counts, isOutside ? reasoning : 0);
  const heard = Math.min(prompt, counts.heard ?? 0);
  const cached = readCached(counts, prompt - heard);
  if (prompt === 0 && output === null) return ofTotal(counts, cached);
  // Some providers do not include reasoning in the output; the total then shows the gap.
  const gap = prompt === 0 ? 0 : Math.max(0, (total ?? 0) - prompt - (output ?? 0));
  const hidden = isOutside && total === null && output !== null ? reasoning : gap;
  const produced = Math.max((output ?? 0) + hidden, reasoning);
  if (prompt + produced === 0) return NOTHING_REPORTED;
  const spoken = Math.min(produced, counts.spoken ?? 0);
  const tokens = {
    input: Math.max(0, prompt - heard - cached.cacheRead - cached.cacheWrite5m),
    ...cached,
    cacheWrite1h: 0,
    output: produced - spoken,
    reasoning: Math.min(produced, output === null ? reasoning : Math.max(reasoning, gap)),
    ...writeUnits({ input: heard, output: spoken }),
  };
  return {
    usage: counts.searches ? { ...tokens, searches: counts.searches } : tokens,
    inputReported: prompt > 0,
    outputReported: output !== null || gap > 0,
  };
}

/** No prompt is empty, so a prompt of zero is not a report. Zero when it is unknown. */
function findPrompt({ prompt, output, total }: Counts, outside: number): number {
  if (prompt || total === null || output === null) return prompt ?? 0;
  return Math.max(0, total - output - outside);
}

type Cached = { cacheRead: number; cacheWrite5m: number };

function readCached({ cached, written }: Counts, prompt: number): Cached {
  if (prompt === 0) return { cacheRead: cached ?? 0, cacheWrite5m: written ?? 0 };
  const cacheRead = Math.min(prompt, cached ?? 0);
  return { cacheRead, cacheWrite5m: Math.min(prompt - cacheRead, written ?? 0) };
}

/** Of a total alone it is not known what is input; `meteredUsage` splits it. */
function ofTotal({ total, reasoning }: Counts, cached: Cached): Reported {
  const output = reasoning ?? 0;
  const rest = Math.max(0, (total ?? 0) - output - cached.cacheRead - cached.cacheWrite5m);
  if (rest + output + cached.cacheRead + cached.cacheWrite5m === 0) return NOTHING_REPORTED;
  const usage = { ...NO_TOKENS, input: rest, ...cached, output, reasoning: output };
  return { usage, inputReported: false, outputReported: false };
}
