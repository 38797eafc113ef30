import { now, nowDate } from '../../server/base/clock';
import { readEarnings, readHistory, readUsageDays } from '../../server/ledger';
import {
  readByModel,
  readByPartner,
  readByProvider,
  readDays,
} from '../../server/reports/activity/install-activity';
import {
  listAppRequests,
  listAppUsers,
  readAppDays,
  readEarningsDays,
} from '../../server/reports/activity/partner-activity';
import {
  listUsedApps,
  readLatestRequests,
  readRequestPage,
} from '../../server/reports/activity/user-activity';

/** What the heaviest pages read, as the user and the app with the most requests. The median of five readings, in ms. */
export async function measurePages(userId: string, partnerId: string): Promise<Record<string, number>> {
  const to = new Date(nowDate().getTime() + 86_400_000).toISOString().slice(0, 10);
  const from = new Date(nowDate().getTime() - 365 * 86_400_000).toISOString().slice(0, 10);
  const year = { from, to };
  const page = { offset: 0, limit: 50 };
  const days = await readUsageDays(userId, year);
  const readings: Record<string, () => Promise<unknown>> = {
    'a user: activity of a year': () => readUsageDays(userId, year),
    'a user: last page of a year of requests': () =>
      readRequestPage(userId, year, days, {
        offset: days.reduce((sum, day) => sum + day.requests, 0) - 50,
        limit: 50,
      }),
    'a user: overview': async () => [await listUsedApps(userId), await readLatestRequests(userId, 5)],
    'API: history with an app': () => readHistory({ userId, partnerId }, page),
    'API: history, a page in the middle': () =>
      readHistory({ userId, partnerId }, { offset: 90_000, limit: 50 }),
    'an app: charts of a year': () => readAppDays(partnerId, year),
    'an app: first page of requests': () => listAppRequests(partnerId, year, page),
    'an app: page 300 of requests': () => listAppRequests(partnerId, year, { offset: 15_000, limit: 50 }),
    'an app: users': () => listAppUsers(partnerId, page),
    'an app: earnings of a year': async () => [
      await readEarningsDays(partnerId, year),
      await readEarnings(partnerId),
    ],
    'an operator: charts of a year': async () => [
      await readDays(year),
      await readByPartner(year),
      await readByModel(year, 10),
      await readByProvider(year),
    ],
  };
  const medians: Record<string, number> = {};
  for (const [name, read] of Object.entries(readings)) {
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      const beganMs = now();
      await read();
      times.push(now() - beganMs);
    }
    medians[name] = times.sort((a, b) => a - b)[2] ?? 0;
  }
  return medians;
}
