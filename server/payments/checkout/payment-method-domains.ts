import type { PaymentMethodDomain } from '../../../prisma/client/client';
import { DAY_MS, HOUR_MS, MINUTE_MS, now, nowDate } from '../../base/clock';
import { prisma } from '../../base/db';
import { describeError, log } from '../../base/log';
import { isPublicName } from '../../base/public-name';
import { checkoutOrigin } from './same-origin';
import { stripeProcessor } from './stripe/processor';

/**
 * Apple Pay and Google Pay appear in an embedded form only on domains that the processor knows: that of our
 * checkout, and for the overlay those of the apps' origins.
 */

/** After the first failure; doubled with each further one. */
const RETRY_MS = 10 * MINUTE_MS;
const MAX_RETRY_MS = DAY_MS;
const RECHECK_MS = HOUR_MS;
const MAX_RECHECK_MS = 7 * DAY_MS;
/** Several calls each, one domain after the other. */
const DOMAINS_PER_SWEEP = 20;

type Due = Pick<PaymentMethodDomain, 'host' | 'isWanted' | 'error' | 'failures'>;

/** Registers new domains, disables those that are no longer used, and checks the others again in time. */
export async function sweepPaymentMethodDomains(): Promise<void> {
  await noteWanted([...(await listWantedHosts())]);
  for (const due of await claimDue()) await update(due);
}

/**
 * The domains to register, our own first: from which a checkout was opened. Apps that are disabled or await
 * approval have none.
 */
export async function listWantedHosts(): Promise<Set<string>> {
  const rows = await prisma().$queryRaw<{ host: string }[]>`
    SELECT DISTINCT substring(o.origin FROM '^https://([^:]+)') AS host
    FROM partner_origin o JOIN partner p ON p.id = o.partner_id
    WHERE p.disabled_at IS NULL AND o.opened_at IS NOT NULL AND o.origin LIKE 'https://%'
    ORDER BY host`;
  const hosts = rows.map(({ host }) => host).filter(isPublicName);
  const own = registrableHost(checkoutOrigin());
  return new Set(own === null ? hosts : [own, ...hosts]);
}

/** The host of an https origin on the internet; null for any other origin, which cannot be registered. */
export function registrableHost(origin: string): string | null {
  if (!origin.startsWith('https://')) return null;
  const { hostname } = new URL(origin);
  return isPublicName(hostname) ? hostname : null;
}

async function noteWanted(hosts: string[]): Promise<void> {
  await prisma().$executeRaw`
    WITH wanted AS (SELECT unnest(${hosts}::text[]) AS host), added AS (
      INSERT INTO payment_method_domain (host, is_wanted, due_at)
      SELECT host, true, ${nowDate()}::timestamptz
      FROM (SELECT host FROM wanted EXCEPT SELECT host FROM payment_method_domain WHERE is_wanted) AS new
      ON CONFLICT (host) DO UPDATE SET is_wanted = true, due_at = excluded.due_at
    )
    UPDATE payment_method_domain known SET is_wanted = false, due_at = ${nowDate()}::timestamptz
    WHERE is_wanted AND NOT EXISTS (SELECT FROM wanted WHERE wanted.host = known.host)`;
}

/** Only one instance receives a domain. Those that were never checked do not wait for the others. */
function claimDue(): Promise<Due[]> {
  return prisma().$queryRaw<Due[]>`
    UPDATE payment_method_domain SET due_at = ${laterBy(RETRY_MS)}::timestamptz
    WHERE host IN (
      SELECT host FROM payment_method_domain WHERE due_at <= ${nowDate()}::timestamptz
      ORDER BY checked_at NULLS FIRST, due_at LIMIT ${DOMAINS_PER_SWEEP}::int FOR UPDATE SKIP LOCKED
    )
    RETURNING host, is_wanted AS "isWanted", error, failures`;
}

async function update({ host, isWanted, error: lastError, failures }: Due): Promise<void> {
  try {
    if (isWanted) await register(host, failures);
    else await disable(host);
  } catch (failure) {
    const error = describeError(failure);
    // Once, not at every attempt.
    if (error !== lastError) log().warn({ host, error }, 'could not register a payment method domain');
    await prisma().paymentMethodDomain.updateMany({
      where: { host },
      data: {
        error,
        failures: failures + 1,
        checkedAt: nowDate(),
        dueAt: laterBy(backOff(failures, RETRY_MS, MAX_RETRY_MS)),
      },
    });
  }
}

const laterBy = (ms: number): Date => new Date(now() + ms);
const backOff = (failures: number, first: number, max: number): number =>
  Math.min(first * 2 ** failures, max);

async function register(host: string, failures: number): Promise<void> {
  const { reason: error, ...active } = await stripeProcessor.registerDomain(host);
  const dueAt = laterBy(error === null ? DAY_MS : backOff(failures, RECHECK_MS, MAX_RECHECK_MS));
  await prisma().paymentMethodDomain.updateMany({
    where: { host, isWanted: true },
    data: { ...active, error, failures: error === null ? 0 : failures + 1, checkedAt: nowDate(), dueAt },
  });
}

async function disable(host: string): Promise<void> {
  await stripeProcessor.disableDomain(host);
  await prisma().paymentMethodDomain.deleteMany({ where: { host, isWanted: false } });
}

/** What is known of the domains of these origins, by origin. Null for one that cannot be registered. */
export async function findDomains(
  origins: readonly string[],
): Promise<Map<string, PaymentMethodDomain | 'unregistered' | null>> {
  const hosts = origins.map((origin) => [origin, registrableHost(origin)] as const);
  const rows = await prisma().paymentMethodDomain.findMany({
    where: { host: { in: hosts.flatMap(([, host]) => host ?? []) } },
  });
  return new Map(
    hosts.map(([origin, host]) => [
      origin,
      host === null ? null : (rows.find((row) => row.host === host) ?? 'unregistered'),
    ]),
  );
}
