import { DAY_MS } from '@/server/base/clock';
import type { Chance } from './chance';
import { YEAR_APPS, YEAR_CANARY, YEAR_HEAVY_USER, type YearApp } from './people';

/** Which users send requests through which app, and when. */

const YEAR_MS = 365 * DAY_MS;
const HOUR_MS = DAY_MS / 24;
const USERS = 400;
const HEAVY_PART = 0.1;
/** Requests by hour of the day (UTC), relative to the busiest. */
const BY_HOUR = [
  0.25, 0.18, 0.14, 0.12, 0.12, 0.16, 0.28, 0.45, 0.68, 0.85, 0.94, 0.98, 0.9, 0.95, 1, 1, 0.97, 0.92, 0.86,
  0.8, 0.72, 0.6, 0.46, 0.34,
];
const WEEKEND = 0.55;

export type YearUser = { id: string; email: string; apps: YearApp[]; joinedAt: number; requests: number };
export type YearRequest = { at: number; user: YearUser; app: YearApp };

export function planUsers(chance: Chance, requests: number, end: number): YearUser[] {
  const start = end - YEAR_MS;
  const heavy = Math.round(requests * HEAVY_PART);
  const users = Array.from({ length: USERS }, (_, n): YearUser & { weight: number } => ({
    id: chance.id('usr'),
    email: n === 0 ? YEAR_HEAVY_USER : n === 1 ? YEAR_CANARY : `user-${n}@year.example`,
    apps: n < 2 ? [...YEAR_APPS] : chooseApps(chance),
    joinedAt: n < 2 ? start : Math.round(start + (end - start) * 0.95 * chance.next()),
    requests: n === 0 ? heavy : 0,
    weight: n === 0 ? 0 : 1 / (n + 8),
  }));
  const totalWeight = users.reduce((sum, { weight }) => sum + weight, 0);
  for (const user of users) user.requests += Math.floor(((requests - heavy) * user.weight) / totalWeight);
  const planned = users.reduce((sum, user) => sum + user.requests, 0);
  (users[0] as YearUser).requests += requests - planned;
  return users;
}

function chooseApps(chance: Chance): YearApp[] {
  const count = chance.pick([
    [1, 6],
    [2, 3],
    [3, 1],
  ]);
  const chosen = new Set<YearApp>();
  while (chosen.size < count) chosen.add(chance.pick(YEAR_APPS.map((app) => [app, app.weight])));
  return [...chosen];
}

/** In chronological order. */
export function planRequests(chance: Chance, users: readonly YearUser[], end: number): YearRequest[] {
  const requests: YearRequest[] = [];
  for (const user of users) {
    const weighted = user.apps.map((app) => [app, app.weight] as const);
    for (let n = 0; n < user.requests; n++)
      requests.push({ at: chooseTime(chance, user.joinedAt, end), user, app: chance.pick(weighted) });
  }
  return requests.sort((a, b) => a.at - b.at);
}

/** More towards the end of the year, the day and the week. */
function chooseTime(chance: Chance, from: number, to: number): number {
  for (;;) {
    const at = Math.floor(from + (to - from) * chance.next() ** 0.7);
    const weekday = new Date(at).getUTCDay();
    const busy = BY_HOUR[Math.floor((at % DAY_MS) / HOUR_MS)] ?? 1;
    if (chance.happens(weekday === 0 || weekday === 6 ? busy * WEEKEND : busy)) return at;
  }
}
