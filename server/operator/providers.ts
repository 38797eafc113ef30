import { MINUTE_MS, now, nowDate } from '../base/clock';
import { pool } from '../base/db';
import { catalogModels } from '../gateway/pricing/catalog';
import { isConfigured } from '../gateway/pricing/served';
import { readByProvider } from '../reports/activity/install-activity';

/**
 * The state of a provider for operators: whether it can be called, and how many requests succeeded and
 * failed.
 */
export type ProviderHealth = {
  name: string;
  isConfigured: boolean;
  models: number;
  /** Today (UTC). */
  requests: number;
  providerCost: bigint;
  failures: { kind: string; status: number; count: number; lastAt: Date }[];
  /** Until when running instances skip it; null when none does. */
  cooldownUntil: Date | null;
};

/** Cooldowns older than this are ignored: their instance has stopped. */
const COOLDOWN_IS_STALE_MS = MINUTE_MS;

export async function listProviders(): Promise<ProviderHealth[]> {
  const day = nowDate().toISOString().slice(0, 10);
  const [used, failures, cooldowns] = await Promise.all([
    readByProvider({ from: day, to: new Date(now() + 86_400_000).toISOString().slice(0, 10) }),
    readFailures(),
    readCooldowns(),
  ]);
  const models = catalogModels();
  const names = new Set([...models.map(({ provider }) => provider), ...used.map(({ name }) => name)]);
  return [...names]
    .map((name): ProviderHealth => {
      const own = models.filter(({ provider }) => provider === name);
      const sums = used.find((entry) => entry.name === name);
      return {
        name,
        isConfigured: own.some(isConfigured),
        models: own.length,
        requests: sums?.requests ?? 0,
        providerCost: sums?.providerCost ?? 0n,
        failures: failures.filter(({ provider }) => provider === name),
        cooldownUntil: cooldowns.get(name) ?? null,
      };
    })
    .sort((a, b) => Number(b.isConfigured) - Number(a.isConfigured) || a.name.localeCompare(b.name));
}

async function readFailures() {
  const { rows } = await pool().query<{
    provider: string;
    kind: string;
    status: number;
    count: number;
    lastAt: Date;
  }>(
    `SELECT provider, kind, status, sum(count)::float8 AS count, max(last_at) AS "lastAt"
     FROM provider_failure_hour WHERE hour > $1 GROUP BY 1, 2, 3 ORDER BY max(last_at) DESC`,
    [new Date(now() - 24 * 60 * MINUTE_MS)],
  );
  return rows;
}

async function readCooldowns(): Promise<Map<string, Date>> {
  const { rows } = await pool().query<{ provider: string; until: Date }>(
    'SELECT provider, max(cooldown_until) AS until FROM provider_cooldown WHERE seen_at > $1 GROUP BY 1',
    [new Date(now() - COOLDOWN_IS_STALE_MS)],
  );
  return new Map(rows.map(({ provider, until }) => [provider, until]));
}
