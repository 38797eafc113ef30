import { creditsToJson, parseCredits } from '../credits';
import { inTransaction } from '../db';
import {
  isKnownZone,
  type Limits,
  type LimitsInUse,
  PERIODS,
  type Period,
  readLimits,
  resumeSpending,
  saveLimits,
  stopSpending,
} from '../ledger';

/** The spending limits of a user, as the user reads and writes them. */

export type LimitView = {
  /** `''` for all apps. */
  partnerId: string;
  isStopped: boolean;
  request: number | null;
  periods: { period: Period; most: number | null; used: number; resetsAt: string }[];
  models: { rule: 'only' | 'except'; models: string[] } | null;
};

export async function listUserLimits(userId: string): Promise<{ zone: string | null; limits: LimitView[] }> {
  const { zone, limits } = await readLimits(userId);
  return { zone, limits: limits.map(toView) };
}

function toView({ partnerId, isStopped, request, models, used, ...most }: LimitsInUse): LimitView {
  return {
    ...{ partnerId, isStopped, models },
    request: request === null ? null : creditsToJson(request),
    periods: PERIODS.map((period) => {
      const { spent, held, resetsAt } = used[period];
      const limit = most[period];
      return {
        period,
        most: limit === null ? null : creditsToJson(limit),
        used: creditsToJson(spent + held),
        resetsAt: resetsAt.toISOString(),
      };
    }),
  };
}

/** As typed: empty for no limit. */
export type TypedLimits = Record<'request' | Period, string> & {
  zone: string;
  rule: 'all' | 'only' | 'except';
  models: string[];
};

const MAX_CREDITS = 100_000_000_000_000n;

/** Null once the limits are saved. */
export async function saveUserLimits(
  userId: string,
  partnerId: string,
  typed: TypedLimits,
): Promise<{ field?: string; message: string } | null> {
  const limits: Limits = { request: null, day: null, week: null, month: null, models: null };
  for (const field of ['request', ...PERIODS] as const) {
    const text = typed[field].replaceAll(',', '').trim();
    if (text === '') continue;
    const credits = parseCredits(text);
    if (credits === null || credits <= 0n || credits > MAX_CREDITS)
      return { field, message: 'Enter a number of credits above zero, or leave it empty for no limit.' };
    limits[field] = credits;
  }
  if (typed.rule !== 'all') {
    const { rule } = typed;
    const models = [...new Set(typed.models)];
    if (models.length === 0) return { field: 'models', message: 'Choose at least one model.' };
    limits.models = { rule, models };
  }
  if (!(await isKnownZone(typed.zone))) return { field: 'zone', message: 'Choose a time zone.' };
  const { zone } = typed;
  const isSaved = await inTransaction((tx) => saveLimits(tx, { userId, partnerId, zone, limits }));
  return isSaved ? null : { message: 'There is no such app in your account.' };
}

type OfApp = { userId: string; partnerId: string };

/** False if there was nothing to stop. */
export const stopApps = (of: OfApp): Promise<boolean> => inTransaction((tx) => stopSpending(tx, of));

export const resumeApps = (of: OfApp): Promise<boolean> => inTransaction((tx) => resumeSpending(tx, of));
