import { prisma } from '../../base/db';
import { settings } from '../../base/env';
import { recordTeamAction } from '../../partners/audit-log';
import { disconnectAccount, startOnboarding } from './accounts';
import { requestPayout } from './plan';

/** What the members of a team ask for, recorded in the team's audit log. */

type Asker = {
  teamId: string;
  /** A user id. */
  actor: string;
};

export async function requestByMember({ teamId, actor }: Asker): ReturnType<typeof requestPayout> {
  const asked = await requestPayout(teamId);
  if (asked.outcome === 'created')
    await recordTeamAction(prisma(), { teamId, actor, what: 'payouts.request', subject: asked.payoutId });
  return asked;
}

type SetUp = Asker & { country: string; email: string; returnUrl: string; refreshUrl: string };

/** The processor's page on which the team enters what payouts need. Null where payouts are made by hand. */
export async function setUpAccount({ actor, ...given }: SetUp): Promise<{ url: string } | null> {
  if (settings().PAYOUTS !== 'stripe') return null;
  const page = await startOnboarding(given);
  const after = { country: given.country };
  await recordTeamAction(prisma(), { teamId: given.teamId, actor, what: 'payouts.account', after });
  return page;
}

/** False if the team has no payout account. */
export function disconnectByMember({ teamId, actor }: Asker): Promise<boolean> {
  return disconnectAccount(teamId, (tx, { country, state }) =>
    recordTeamAction(tx, { teamId, actor, what: 'payouts.disconnect', before: { country, state } }),
  );
}
