import { creditsToJson } from '../base/credits';
import { inTransaction, prisma } from '../base/db';
import { readTypedLimits, type TypedLimits, writeTypedLimits } from '../base/typed-limits';
import {
  ALL_APPS,
  isKnownZone,
  type LimitsInUse,
  PERIODS,
  type Period,
  readLimits,
  readPartnerLimits,
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
  /** For the form that changes them. */
  typed: TypedLimits<'request' | Period>;
};

export async function listUserLimits(userId: string): Promise<{ zone: string | null; limits: LimitView[] }> {
  const { zone, limits } = await readLimits(userId);
  return { zone, limits: limits.map(toView) };
}

/** Those that the app sets for the user; null if it sets none. */
export async function findLimitsOfApp(userId: string, partnerId: string): Promise<LimitView | null> {
  const limits = await readPartnerLimits(userId, partnerId);
  return limits && toView(limits);
}

type Shown = Omit<LimitsInUse, 'used'> & { used: Partial<LimitsInUse['used']> };

function toView({ partnerId, isStopped, request, models, used, ...most }: Shown): LimitView {
  return {
    partnerId,
    isStopped,
    models,
    typed: writeTypedLimits({ request, models, ...most }),
    request: request === null ? null : creditsToJson(request),
    periods: PERIODS.flatMap((period) => {
      const use = used[period];
      const limit = most[period];
      if (use === undefined) return [];
      return {
        period,
        most: limit === null ? null : creditsToJson(limit),
        used: creditsToJson(use.spent + use.held),
        resetsAt: use.resetsAt.toISOString(),
      };
    }),
  };
}

/** Null once the limits are saved. */
export async function saveUserLimits(
  userId: string,
  partnerId: string,
  { zone, ...typed }: TypedLimits<'request' | Period> & { zone: string },
): Promise<{ field?: string; message: string } | null> {
  const read = readTypedLimits(typed, ['request', ...PERIODS]);
  if (read.refusal) return read.refusal;
  if (!(await isKnownZone(zone))) return { field: 'zone', message: 'Choose a time zone.' };
  const limits = { ...read.amounts, models: read.models };
  const isSaved = await inTransaction((tx) => saveLimits(tx, { userId, partnerId, zone, limits }));
  return isSaved ? null : { message: 'There is no such app in your account.' };
}

type OfApp = { userId: string; partnerId: string };

/** False if there was nothing to stop. */
export const stopApps = (of: OfApp): Promise<boolean> => inTransaction((tx) => stopSpending(tx, of));

/** When the user stopped all apps; null while they may spend. */
export async function findStopOfAllApps(userId: string): Promise<Date | null> {
  const stop = await prisma().spendingLimit.findUnique({
    where: { userId_partnerId: { userId, partnerId: ALL_APPS } },
    select: { stoppedAt: true },
  });
  return stop?.stoppedAt ?? null;
}

export const resumeApps = (of: OfApp): Promise<boolean> => inTransaction((tx) => resumeSpending(tx, of));
