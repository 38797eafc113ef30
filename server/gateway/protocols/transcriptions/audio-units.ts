import type { MeasuredAudio } from '../audio-length/measured-audio';
import type { UnitModel, Units } from '../neutral';

/** OpenAI's guide "Managing costs" of its realtime API, 2026: a token for each 100 ms that a user speaks. */
export const TOKENS_PER_SECOND = 10;
/** Of the window of these models, which a longer recording does not fit: OpenAI refuses more than 1,500 seconds. */
const MOST_TOKENS = 16_000;
/** Groq's page "Speech to text", 2026. */
const LEAST_SECONDS: Readonly<Record<string, number>> = { groq: 10 };

/** Whether audio is counted in tokens, with a limit of the text. Others are priced by the second. */
export const countsTokens = ({ prices }: Pick<UnitModel, 'prices'>): boolean =>
  prices.inputUnit?.kind === 'audio_token';

/** The seconds that a provider bills: whole ones, and a minimum at some. */
export const billedSeconds = (provider: string, seconds: number): number =>
  Math.max(LEAST_SECONDS[provider] ?? 0, Math.ceil(seconds));

export const mostUnits = ({ mostSeconds }: MeasuredAudio, model: UnitModel): Units =>
  unitsOf(mostSeconds, model);

/** Of what was counted, for a charge without a report. */
export const likelyUnits = ({ seconds }: MeasuredAudio, model: UnitModel): Units => unitsOf(seconds, model);

/** No ledger entry needs more. */
const MOST_UNITS = 100_000_000;

function unitsOf(seconds: number, model: UnitModel): Units {
  const units = countsTokens(model)
    ? Math.min(MOST_TOKENS, Math.ceil(seconds * TOKENS_PER_SECOND))
    : billedSeconds(model.provider, seconds);
  return { input: Math.min(MOST_UNITS, units), output: 0 };
}
