import { readRules } from '../base/data-rules';
import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError, invariant } from '../base/errors';
import { type Actor, recordTeamAction } from './audit-log';
import { listOrigins, type Partner, stateOf } from './partner';
import { readProfiles } from './profile';
import { listRedirects } from './redirects';
import type { AppOfTeam } from './teams';
import { describeLimits, readAppLimits } from './user-limits';

/** What the audit logs compare before and after a change of an app. No secrets and no e-mail addresses. */
export async function readAppFacts(tx: Tx, partner: Partner) {
  const { id: partnerId } = partner;
  const { own, ceiling } = await readAppLimits(partnerId, tx);
  const profiles = await readProfiles(partnerId, tx);
  const planned = await tx.partnerRate.findFirst({ where: { partnerId, appliedAt: null } });
  return {
    name: partner.name,
    name_approved: partner.nameApprovedAt !== null,
    pending_name: partner.pendingName,
    approval_asked: partner.approvalAskedAt !== null,
    site: profiles.approved?.site ?? null,
    // The support address of the app is an e-mail address: a change of it shows in the hash.
    profile: profiles.approved?.hash ?? null,
    pending_profile: profiles.pending?.hash ?? null,
    state: stateOf(partner),
    paused: partner.pausedAt !== null,
    rate: partner.rateBp / 100,
    planned_rate: planned && `${planned.rateBp / 100} from ${planned.effectiveAt.toISOString()}`,
    rate_cap: partner.rateCapBp / 100,
    earnings_hold_days: partner.earningsHoldDays,
    models: partner.allModels ? 'all' : partner.allowedModels,
    data_rules: readRules(partner.dataRules),
    user_limits: own && describeLimits(own),
    limit_ceiling: ceiling && describeLimits(ceiling),
    publishable_key: partner.publishableKey,
    key_networks: partner.keyNetworks,
    origins: await listOrigins(partnerId, tx),
    redirects: await listRedirects(partnerId, tx),
    webhook: partner.webhookUrl,
  };
}

type AppChange = { app: AppOfTeam; actor: Actor; what: string };

/** Makes a member's change of an app and records it for the team, in one transaction. A change of nothing leaves no entry. */
export async function changeApp<Result>(
  asked: AppChange,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return inTransaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM partner WHERE id = ${asked.app.id} FOR NO KEY UPDATE`;
    return recordChange(tx, asked, () => work(tx));
  });
}

/** For a change of the webhook, which looks up its host on the network: recorded once it is made. */
export async function recordWebhookChange<Result>(
  asked: AppChange,
  work: () => Promise<Result>,
): Promise<Result> {
  return recordChange(prisma(), asked, work);
}

/** For what the facts do not show, such as a change of a secret. */
export async function recordOfApp({ app: { id, teamId }, ...did }: AppChange): Promise<void> {
  await recordTeamAction(prisma(), { ...did, teamId, partnerId: id });
}

async function recordChange<Result>(
  tx: Tx,
  { app: { id, teamId }, actor, what }: AppChange,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = await readFactsOf(tx, id);
  // Its name stays taken, and its users see nothing new of it.
  if (before.state === 'deleted') throw new ApiError('invalid_request', 'The app is already deleted');
  const result = await work();
  const after = await readFactsOf(tx, id);
  if (JSON.stringify(before) !== JSON.stringify(after))
    await recordTeamAction(tx, { teamId, partnerId: id, actor, what, before, after });
  return result;
}

async function readFactsOf(tx: Tx, partnerId: string) {
  const partner = await tx.partner.findUnique({ where: { id: partnerId } });
  invariant(partner, 'an app is never deleted');
  return readAppFacts(tx, partner);
}
