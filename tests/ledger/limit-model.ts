import fc from 'fast-check';
import { wholeCredits } from '../../server/base/credits';
import { inTransaction } from '../../server/base/db';
import { ALL_APPS, type Limits, type Period, saveLimits } from '../../server/ledger';
import {
  saveAppLimits,
  saveCeiling,
  saveDefaultLimits,
  type UserLimits,
} from '../../server/partners/user-limits';
import { limitUser, type Wallet } from './wallets';

/** The rules of limits, stated again: calendars by the runtime's own time zones, and sums of all charges. */

/** Zones with daylight saving of every kind: at midnight, by half an hour, in the south, none, and far from UTC. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Atlantic/Azores',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kolkata',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Nuuk',
  'Africa/Casablanca',
  'America/Asuncion',
];

/** Creating one takes longer than a query. */
const DAYS = new Map(
  ZONES.map((zone) => [zone, new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })]),
);

/** The name of the calendar day, week or month, according to the runtime's own time zones. */
export function labelOf(period: Period, zone: string, atMs: number): string {
  const day = DAYS.get(zone)?.format(atMs) ?? '';
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  const date = new Date(`${day}T00:00:00Z`);
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
}

/** Around the changes of clocks, where mistakes are. */
export const instant = fc.oneof(
  fc.date({ min: new Date('2024-01-01'), max: new Date('2030-12-31'), noInvalidDate: true }).map(Number),
  fc
    .record({
      year: fc.integer({ min: 2024, max: 2030 }),
      month: fc.constantFrom(2, 3, 8, 9, 10),
      day: fc.integer({ min: 1, max: 31 }),
      minute: fc.integer({ min: -840, max: 1_560 }),
    })
    .map(({ year, month, day, minute }) => Date.UTC(year, month, day, 0, minute)),
);

/** Who sets the limits of users: the partner for all or for this one, or an operator. */
export type By = 'partner' | 'partner for one' | 'ceiling' | 'default';

/** Remembers every charge with its time, and adds up those of the period. */
export class LimitModel<Run extends { app: string; credits: number }> {
  limits = new Map<string, Partial<Record<Period, number>>>();
  /** By who sets them, and for which app. */
  ofUsers = new Map<string, Partial<Record<Period, number>>>();
  charges: { app: string; atMs: number; credits: number }[] = [];
  running: Run[] = [];

  constructor(
    readonly zone: string,
    public nowMs: number,
  ) {}

  /** What is left for the app now, and what would be if no request were running. */
  left(app: string): { now: number; idle: number } {
    const left = { now: 1_000, idle: 1_000 };
    const byPartner =
      this.ofUsers.get(`partner for one ${app}`) ??
      this.ofUsers.get(`partner ${app}`) ??
      this.ofUsers.get('default');
    for (const { scope, zone, limits } of [
      { scope: 'all', zone: this.zone, limits: this.limits.get('all') },
      { scope: app, zone: this.zone, limits: this.limits.get(app) },
      { scope: app, zone: 'UTC', limits: byPartner },
      { scope: app, zone: 'UTC', limits: this.ofUsers.get(`ceiling ${app}`) },
    ])
      for (const [period, most] of Object.entries(limits ?? {}) as [Period, number][]) {
        const label = labelOf(period, zone, this.nowMs);
        const spent = sum(
          this.charges.filter(
            (charge) => isOf(scope, charge) && labelOf(period, zone, charge.atMs) === label,
          ),
        );
        const held = sum(this.running.filter((run) => isOf(scope, run)));
        left.now = Math.min(left.now, most - spent - held);
        left.idle = Math.min(left.idle, most - spent);
      }
    return left;
  }

  /** None is no limit, except for a single user, whom it frees of those of all. */
  limitUsers(by: By, app: string, limits: Partial<Record<Period, number>>): void {
    const name = by === 'default' ? by : `${by} ${app}`;
    if (by !== 'partner for one' && Object.keys(limits).length === 0) this.ofUsers.delete(name);
    else this.ofUsers.set(name, limits);
  }

  expected(app: string, want: number, need: number): number | 'busy' | 'limit_reached' {
    const { now, idle } = this.left(app);
    if (idle < need) return 'limit_reached';
    return now < need ? 'busy' : Math.min(now, want);
  }
}

const isOf = (scope: string, { app }: { app: string }): boolean => scope === 'all' || scope === app;
const sum = (items: { credits: number }[]): number =>
  items.reduce((total, { credits }) => total + credits, 0);

export const NONE: Limits = { request: null, day: null, week: null, month: null, models: null };

export type Given = Partial<Record<'request' | Period, number>> & Pick<Partial<Limits>, 'models'>;

export function limit(wallet: Wallet, app: string, { models = null, ...amounts }: Given, zone = 'UTC') {
  const limits = { ...NONE, models };
  for (const [kind, credits] of Object.entries(amounts)) limits[kind as Period] = wholeCredits(credits);
  return inTransaction((tx) =>
    saveLimits(tx, { userId: wallet.userId, partnerId: idOf(wallet, app), zone, limits }),
  );
}

export const idOf = ({ apps }: Wallet, app: string): string =>
  app === 'all' ? ALL_APPS : (apps[app]?.id ?? app);

export const NO_LIMITS: UserLimits = { request: null, day: null, month: null, models: null };

export async function limitUsers(
  wallet: Wallet,
  app: string,
  by: By,
  amounts: Partial<Record<Period, number>>,
) {
  const limits = { ...NO_LIMITS };
  for (const period of ['day', 'month'] as const)
    limits[period] = amounts[period] === undefined ? null : wholeCredits(amounts[period]);
  const id = idOf(wallet, app);
  if (by === 'partner for one') return limitUser(wallet, app, limits);
  await inTransaction((tx) => {
    if (by === 'partner') return saveAppLimits(id, limits, tx);
    return by === 'ceiling' ? saveCeiling(id, limits, tx) : saveDefaultLimits(limits, tx);
  });
}
