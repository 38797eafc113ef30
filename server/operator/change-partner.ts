import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError, assertNever } from '../base/errors';
import { resumePartner } from '../ledger';
import { readAppFacts } from '../partners/app-facts';
import { recordTeamAction, type TeamEntry } from '../partners/audit-log';
import {
  addOrigin,
  createPartner,
  disablePartner,
  enablePartner,
  findPartner,
  type NewPartner,
  type Partner,
  removeOrigin,
  setAllowedModels,
  setEarningsHold,
} from '../partners/partner';
import { approveProfile, declineProfile } from '../partners/profile';
import { planPartnerRate, setPartnerRate, setRateCap } from '../partners/rates';
import { addRedirect, removeRedirect } from '../partners/redirects';
import { approveName, declineName } from '../partners/rename';
import { rotatePublishableKey } from '../partners/rotate-key';
import { approvePartner, declinePartner } from '../partners/sign-up';
import { findOwner, moveToOwner } from '../partners/teams';
import {
  describeLimits,
  readDefaultLimits,
  saveCeiling,
  saveDefaultLimits,
  type UserLimits,
} from '../partners/user-limits';
import { maskEmail } from '../people/email';
import { requirePaused } from './overruns';
import { type ActionName, type Operator, recordAction, requireReason } from './record';

export type PartnerChange =
  | { do: 'approve' | 'decline' | 'disable' | 'enable' | 'resume' | 'key' }
  /** The name that the operator saw, because its owner can change it at any time. */
  | { do: 'name_approve' | 'name_decline'; name: string }
  /** The hash of what the operator saw. */
  | { do: 'profile_approve' | 'profile_decline'; hash: string }
  /** Effective now, or at a future time. */
  | { do: 'rate'; rateBp: number; from?: Date | undefined }
  | { do: 'rate_cap'; rateCapBp: number }
  /** Null for the default. */
  | { do: 'earnings_hold'; days: number | null }
  /** Null allows all. */
  | { do: 'models'; models: string[] | null }
  /** The most that the app may let each user spend. */
  | { do: 'limit_ceiling'; limits: UserLimits }
  | { do: 'owner'; ownerEmail: string }
  | { do: 'origins' | 'redirects'; add: string[]; remove: string[] };

type Change = { operator: Operator; partnerId: string; reason: string };

/** Applies an operator's change to an app and records it, both in one transaction. */
export async function changePartner({ change, ...asked }: Change & { change: PartnerChange }): Promise<void> {
  requireReason(asked.reason);
  await inTransaction((tx) =>
    recordChange(tx, `app.${change.do}`, asked, () => apply(tx, asked.partnerId, change)),
  );
}

/** For a change of the webhook, which looks up its host on the network: recorded once it is made. */
export async function recordWebhookChange<Result>(
  asked: Change,
  work: () => Promise<Result>,
): Promise<Result> {
  requireReason(asked.reason);
  return recordChange(prisma(), 'app.webhook', asked, work);
}

export async function createPartnerAs(
  operator: Operator,
  reason: string,
  newPartner: NewPartner,
): Promise<Partner> {
  requireReason(reason);
  return inTransaction(async (tx) => {
    const partner = await createPartner({ ...newPartner, askedBy: 'operator' }, tx);
    const after = await readFacts(tx, partner);
    const what = 'app.create';
    await recordAction(tx, { operator, what, subject: partner.id, reason, after });
    await recordForTeams(tx, [partner], { what, after });
    return partner;
  });
}

/** What each user may spend in the apps that set no limits. */
export async function changeDefaultLimits(
  { operator, reason }: Omit<Change, 'partnerId'>,
  limits: UserLimits,
): Promise<void> {
  requireReason(reason);
  await inTransaction(async (tx) => {
    const before = await readDefaultLimits(tx);
    await saveDefaultLimits(limits, tx);
    const after = await readDefaultLimits(tx);
    const facts = (saved: UserLimits | null) => ({ user_limits: saved && describeLimits(saved) });
    await recordAction(tx, {
      operator,
      what: 'app.limit_default',
      subject: 'all apps',
      reason,
      before: facts(before),
      after: facts(after),
    });
  });
}

async function recordChange<Result>(
  tx: Tx,
  what: ActionName,
  { operator, partnerId, reason }: Change,
  work: () => Promise<Result>,
): Promise<Result> {
  const old = await requirePartnerRow(tx, partnerId);
  const before = await readFacts(tx, old);
  const result = await work();
  const changed = await requirePartnerRow(tx, partnerId);
  const after = await readFacts(tx, changed);
  await recordAction(tx, { operator, what, subject: partnerId, reason, before, after });
  await recordForTeams(tx, [old, changed], { what, before, after });
  return result;
}

/** In the log of the team that manages the app, and of the one that did. Neither operator nor reason is named. */
async function recordForTeams(
  tx: Tx,
  rows: Partner[],
  change: Pick<TeamEntry, 'what' | 'before' | 'after'>,
): Promise<void> {
  const [partnerId] = rows.map(({ id }) => id);
  for (const teamId of new Set(rows.map((row) => row.teamId)))
    if (teamId !== null) await recordTeamAction(tx, { ...change, teamId, partnerId, actor: 'operator' });
}

async function apply(tx: Tx, partnerId: string, change: PartnerChange): Promise<void> {
  switch (change.do) {
    case 'approve':
      return requireWaiting(await approvePartner(partnerId, tx));
    case 'decline':
      return requireWaiting(await declinePartner(partnerId, tx));
    case 'name_approve':
      return requireNameWaiting(await approveName(partnerId, change.name, tx));
    case 'name_decline':
      return requireNameWaiting(await declineName(partnerId, change.name, tx));
    case 'profile_approve':
      return requireProfileWaiting(await approveProfile(partnerId, change.hash, tx));
    case 'profile_decline':
      return requireProfileWaiting(await declineProfile(partnerId, change.hash, tx));
    case 'disable':
      return disablePartner(partnerId, tx);
    case 'enable':
      return enablePartner(partnerId, tx);
    case 'resume':
      return requirePaused(await resumePartner(tx, partnerId), 'app');
    case 'key':
      return void (await rotatePublishableKey(partnerId, 'operator', tx));
    case 'rate':
      return change.from === undefined
        ? setPartnerRate(partnerId, change.rateBp, tx)
        : planPartnerRate(partnerId, change.rateBp, change.from, tx);
    case 'rate_cap':
      return setRateCap(partnerId, change.rateCapBp, tx);
    case 'earnings_hold':
      return setEarningsHold(partnerId, change.days, tx);
    case 'models':
      return setAllowedModels(partnerId, change.models, tx);
    case 'limit_ceiling':
      return saveCeiling(partnerId, change.limits, tx);
    case 'owner':
      return moveToOwner(partnerId, change.ownerEmail, tx);
    case 'origins':
      return changeOrigins(tx, partnerId, change);
    case 'redirects':
      return changeRedirects(tx, partnerId, change);
    default:
      assertNever(change);
  }
}

type ListChange = { add: string[]; remove: string[] };

async function changeOrigins(tx: Tx, partnerId: string, { add, remove }: ListChange): Promise<void> {
  for (const origin of add) await addOrigin(partnerId, origin, 'operator', tx);
  for (const origin of remove) {
    if (!(await removeOrigin(partnerId, origin, tx)))
      throw new ApiError('not_found', `The partner has no origin ${origin}`, { param: 'origin' });
  }
}

async function changeRedirects(tx: Tx, partnerId: string, { add, remove }: ListChange): Promise<void> {
  for (const uri of add) await addRedirect(partnerId, uri, 'operator', tx);
  for (const uri of remove) {
    if (!(await removeRedirect(partnerId, uri, tx)))
      throw new ApiError('not_found', `The partner has no redirect address ${uri}`, {
        param: 'redirect_uri',
      });
  }
}

function requireWaiting(waited: boolean): void {
  if (!waited) throw new ApiError('invalid_request', 'This app is no longer waiting for approval');
}

function requireNameWaiting(waited: boolean): void {
  if (!waited) throw new ApiError('invalid_request', 'This name is no longer waiting for approval');
}

function requireProfileWaiting(waited: boolean): void {
  if (!waited) throw new ApiError('invalid_request', 'This profile is no longer waiting for approval');
}

async function requirePartnerRow(tx: Tx, partnerId: string): Promise<Partner> {
  const partner = await findPartner(partnerId, tx);
  if (partner === null) throw new ApiError('not_found', 'There is no such app');
  return partner;
}

/** The facts that the audit logs compare. They contain no whole e-mail address. */
async function readFacts(tx: Tx, partner: Partner) {
  const owner = await findOwner(partner, tx);
  return { ...(await readAppFacts(tx, partner)), owner: owner && maskEmail(owner) };
}
