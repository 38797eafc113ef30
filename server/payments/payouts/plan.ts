import type { PoolClient } from 'pg';
import type { PayeeDetails } from '../../../prisma/client/client';
import { DAY_MS, now, nowDate } from '../../base/clock';
import { type Microcredits, microcredits, wholeCredits, ZERO } from '../../base/credits';
import { inSlowTransaction, prisma } from '../../base/db';
import { settings } from '../../base/env';
import { invariant } from '../../base/errors';
import { newId } from '../../base/ids';
import { describeError, log } from '../../base/log';
import { createPayout, type PayoutCreation, readExposure } from '../../ledger';
import { toPayoutPayee } from './payee-details';

/** Plans payouts: which team is paid what, and where. The ledger decides the amount and that a month has one. */

type Team = { id: string; payoutMinimum: bigint | null };

/** Where a team is paid, and what it still lacks for that. */
type Destination =
  | { method: 'stripe'; processorAccountId: string; approvedBy: string | null }
  | { method: 'manual'; processorAccountId: null; approvedBy: string | null }
  | { missing: 'account' | 'payee_details' };

export type RequestedPayout =
  | PayoutCreation
  | { outcome: 'not_ready'; what: 'account' | 'payee_details' }
  /** Payouts are planned by the calendar, and none of this month failed or was returned. */
  | { outcome: 'not_allowed' };

/** Makes the payouts of this month for all teams that have none, on its first day or as soon as possible. */
export async function planPayouts(): Promise<void> {
  if (settings().PAYOUT_SCHEDULE !== 'monthly') return;
  const { period, begin } = thisMonth();
  // Also not one that failed or was returned: what was wrong has to be put right first.
  const teams = await prisma().$queryRaw<Team[]>`
    SELECT t.id, t.payout_minimum AS "payoutMinimum" FROM team t
    WHERE t.payouts_held_at IS NULL
      AND NOT EXISTS (SELECT FROM payout o WHERE o.team_id = t.id AND o.period = ${begin}::date)
    ORDER BY t.id`;
  const owed = new Map((await readExposure()).map(({ teamId, payable }) => [teamId, payable]));
  for (const team of teams) {
    const { id } = team;
    if ((owed.get(id) ?? ZERO) < minimumOf(team)) continue;
    await plan(id, period, begin).catch((error: unknown) =>
      log().error({ team_id: id, error: describeError(error) }, 'a payout was not planned, will be retried'),
    );
  }
}

/** A payout that a member asks for: by the schedule `on_request`, or again after this month's did not arrive. */
export async function requestPayout(teamId: string): Promise<RequestedPayout> {
  const { period, begin } = thisMonth();
  if (settings().PAYOUT_SCHEDULE === 'on_request') return plan(teamId, period, today());
  const made = await prisma().payout.count({ where: { teamId, period: begin } });
  return made === 0 ? { outcome: 'not_allowed' } : plan(teamId, period, begin);
}

/** The lock of the team admits no change of its account or payee details until the payout is written. */
async function plan(
  teamId: string,
  period: string,
  asOf: Date,
): Promise<Exclude<RequestedPayout, { outcome: 'not_allowed' }>> {
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    await client.query('SELECT FROM team WHERE id = $1 FOR NO KEY UPDATE', [teamId]);
    const facts = await readFacts(client, teamId);
    const destination = findDestination(facts);
    if ('missing' in destination) return { outcome: 'not_ready', what: destination.missing };
    const payout = { payoutId: newId('po'), teamId, period, asOf, ...destination };
    const payee = facts.details && toPayoutPayee(facts.details);
    return createPayout({ ...payout, minimum: minimumOf(facts), payee }, client);
  });
}

type Facts = {
  payoutMinimum: bigint | null;
  details: PayeeDetails | null;
  /** Null unless it is active. */
  accountId: string | null;
  /** An operator approved a payout to this account, or to these payee details as they are. */
  isAccountApproved: boolean;
  arePayeeDetailsApproved: boolean;
};

async function readFacts(client: PoolClient, teamId: string): Promise<Facts> {
  const { rows } = await client.query<Omit<Facts, 'details'> & PayeeDetails>(
    `SELECT t.payout_minimum AS "payoutMinimum", a.processor_account_id AS "accountId",
            EXISTS (SELECT FROM payout o WHERE o.team_id = t.id AND o.approved_by IS NOT NULL
                      AND o.processor_account_id = a.processor_account_id) AS "isAccountApproved",
            EXISTS (SELECT FROM payout o WHERE o.team_id = t.id AND o.approved_by IS NOT NULL AND o.method = 'manual'
                      AND (o.payee ->> 'savedAt')::timestamptz = d.updated_at) AS "arePayeeDetailsApproved",
            d.team_id AS "teamId", d.name, d.address, d.country, d.tax_id AS "taxId", d.destination,
            d.updated_at AS "updatedAt"
     FROM team t
     LEFT JOIN payout_account a ON a.team_id = t.id AND a.state = 'active'
     LEFT JOIN payee_details d ON d.team_id = t.id
     WHERE t.id = $1`,
    [teamId],
  );
  const [row] = rows;
  invariant(row, 'a team that is planned exists');
  return { ...row, details: row.teamId === null ? null : row };
}

/** A new destination needs an operator's approval. */
function findDestination(facts: Facts): Destination {
  const byService = (isApproved: boolean) => (isApproved ? 'service' : null);
  if (settings().PAYOUTS === 'manual') {
    if (!facts.details?.destination) return { missing: 'payee_details' };
    return {
      method: 'manual',
      processorAccountId: null,
      approvedBy: byService(facts.arePayeeDetailsApproved),
    };
  }
  const { accountId: processorAccountId } = facts;
  if (processorAccountId === null) return { missing: 'account' };
  return { method: 'stripe', processorAccountId, approvedBy: byService(facts.isAccountApproved) };
}

function minimumOf({ payoutMinimum }: Pick<Team, 'payoutMinimum'>): Microcredits {
  return payoutMinimum === null ? wholeCredits(settings().PAYOUT_MINIMUM * 100) : microcredits(payoutMinimum);
}

/** In UTC, like everything about payouts. */
function thisMonth(): { period: string; begin: Date } {
  const period = nowDate().toISOString().slice(0, 7);
  return { period, begin: new Date(`${period}-01`) };
}

const today = (): Date => new Date(Math.floor(now() / DAY_MS) * DAY_MS);
