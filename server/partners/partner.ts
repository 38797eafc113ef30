import type { Partner } from '../../prisma/client/client';
import { DAY_MS, now, nowDate, SECOND_MS } from '../base/clock';
import type { RuleSet } from '../base/data-rules';
import { inTransaction, prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { newId } from '../base/ids';
import { countAttempt } from '../base/rate-limit/attempts';
import { isPublishableKey, newPublishableKey, PUBLISHABLE_KEY_PREFIX } from '../base/tokens';
import { type Actor, type Registered, withMakers } from './audit-log';
import { type Asker, requireName, takeName } from './claim-name';
import { parseOrigin } from './origin-rules';
import { requireRate } from './rate';
import { skeletonOf } from './skeleton';
import { type AppOfTeam, openOwnTeam } from './teams';
import { resumeDeliveries } from './webhooks/resume';

export type { Partner };

/** Finds a partner by its current key, or by a retired one that still works. */
export async function findPartnerByKey(publishableKey: string): Promise<Partner | null> {
  if (!isPublishableKey(publishableKey)) return null;
  const partner = await prisma().partner.findUnique({ where: { publishableKey } });
  return partner ?? findByRetiredKey(publishableKey);
}

async function findByRetiredKey(publishableKey: string): Promise<Partner | null> {
  const retired = await prisma().retiredPublishableKey.findUnique({ where: { publishableKey } });
  return retired !== null && retired.worksUntil.getTime() > now() ? findPartner(retired.partnerId) : null;
}

export function findPartner(id: string, db: Tx = prisma()): Promise<Partner | null> {
  return db.partner.findUnique({ where: { id } });
}

/** The enabled partner of a publishable key. */
export async function requirePartner(publishableKey: string, param = 'publishable_key'): Promise<Partner> {
  const partner = await findPartnerByKey(publishableKey);
  if (partner === null) throw invalidPublishableKey(publishableKey, param);
  if (partner.disabledAt !== null) throw partnerDisabled();
  return partner;
}

export function invalidPublishableKey(given: string, param: string): ApiError {
  const message = given.startsWith(PUBLISHABLE_KEY_PREFIX)
    ? 'Unknown publishable key. Copy it from the partner dashboard.'
    : `This is not a publishable key. Publishable keys start with ${PUBLISHABLE_KEY_PREFIX}.`;
  return new ApiError('invalid_publishable_key', message, { param });
}

export function partnerDisabled(): ApiError {
  return new ApiError('partner_disabled', 'This app is currently disabled.');
}

export type NewPartner = {
  name: string;
  rateBp: number;
  origins: string[];
  /** The team that manages it; or its owner, whose team it becomes. With neither, only the operator does. */
  teamId?: string;
  ownerEmail?: string | undefined;
  actor?: Actor;
  /** Who asks for the name, which no other app can take then. The demo app reserves none. */
  askedBy?: Asker;
  /** Signed up and awaiting the operator's approval. Disabled until then. */
  isPending?: boolean;
  /** Of the program that proposed the app. */
  proposalHash?: Uint8Array<ArrayBuffer>;
};

export async function createPartner(partner: NewPartner, tx?: Tx): Promise<Partner> {
  if (tx === undefined) return inTransaction((own) => createPartner(partner, own));
  const createdAt = nowDate();
  const rateBp = requireRate(partner.rateBp);
  const registered = [...new Set(partner.origins.map(requireOrigin))];
  const { askedBy = 'operator', isPending = false, actor = 'operator', ownerEmail } = partner;
  const { name, skeleton } = requireName(partner.name, askedBy);
  const data = {
    id: newId('prt'),
    name,
    ...(partner.askedBy && { nameSkeleton: skeleton }),
    nameApprovedAt: askedBy === 'operator' && !isPending ? createdAt : null,
    publishableKey: newPublishableKey(),
    teamId: partner.teamId ?? (ownerEmail ? await openOwnTeam(tx, ownerEmail, name) : null),
    keyBy: actor,
    rateBp,
    ...(partner.proposalHash && { proposalHash: partner.proposalHash }),
    ...(isPending && { review: 'pending', disabledAt: createdAt }),
    createdAt,
    origins: { create: registered.map((origin) => ({ origin, createdAt, createdBy: actor })) },
    rates: { create: { rateBp, effectiveAt: createdAt, createdAt, appliedAt: createdAt } },
  };
  return takeName(skeleton, askedBy, () => tx.partner.create({ data }));
}

export type PartnerState = 'pending' | 'declined' | 'disabled' | 'paused' | 'deleted' | 'enabled';

export function stateOf({ review, disabledAt, closed }: Partner): PartnerState {
  if (closed === 'paused' || closed === 'deleted') return closed;
  if (review === 'pending' || review === 'declined') return review;
  return disabledAt === null ? 'enabled' : 'disabled';
}

export function listPartners(): Promise<Partner[]> {
  return prisma().partner.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

export async function listOriginsWithMakers(partnerId: string): Promise<Registered[]> {
  const rows = await prisma().partnerOrigin.findMany({ where: { partnerId }, orderBy: { origin: 'asc' } });
  return withMakers(rows.map(({ origin, createdBy }) => ({ value: origin, createdBy })));
}

export async function listOrigins(partnerId: string, db: Tx = prisma()): Promise<string[]> {
  const rows = await db.partnerOrigin.findMany({ where: { partnerId }, orderBy: { origin: 'asc' } });
  return rows.map((row) => row.origin);
}

/** Suspends the partner's keys until it is enabled again, which its team cannot do. */
export async function disablePartner(partnerId: string, db: Tx = prisma()): Promise<void> {
  await db.partner.updateMany({
    where: { id: partnerId, OR: [{ disabledAt: null }, { closed: 'paused' }] },
    data: { disabledAt: nowDate(), closed: null },
  });
}

/** Lets the partner's keys work again. Approves a pending or declined sign-up, with its name. */
export async function enablePartner(partnerId: string, tx?: Tx): Promise<void> {
  if (tx === undefined) return inTransaction((own) => enablePartner(partnerId, own));
  const { name, review, closed } = await tx.partner.findUniqueOrThrow({ where: { id: partnerId } });
  if (closed === 'deleted') throw new ApiError('invalid_request', 'This app was deleted by its team');
  const nameSkeleton = skeletonOf(name);
  const approval = review !== 'approved' && { review: 'approved', nameSkeleton, nameApprovedAt: nowDate() };
  await takeName(nameSkeleton, 'operator', () =>
    tx.partner.update({ where: { id: partnerId }, data: { disabledAt: null, closed: null, ...approval } }),
  );
  await resumeDeliveries(tx, partnerId);
}

/** Every opening of the checkout reads them all. */
const MAX_ORIGINS = 100;

export async function addOrigin(
  partnerId: string,
  text: string,
  createdBy: Actor | null = null,
  db: Tx = prisma(),
): Promise<void> {
  const origin = requireOrigin(text);
  if ((await db.partnerOrigin.count({ where: { partnerId } })) >= MAX_ORIGINS)
    throw new ApiError(
      'invalid_request',
      `origin: this app has ${MAX_ORIGINS} origins, which is the maximum`,
      {
        param: 'origin',
      },
    );
  await db.partnerOrigin.createMany({
    data: [{ partnerId, origin, createdAt: nowDate(), createdBy }],
    skipDuplicates: true,
  });
}

/** Each origin can become a domain at the payment processor. */
const NEW_ORIGINS_PER_DAY = 100;

/** For the members of the app's team. */
export async function addOwnOrigin(
  partner: AppOfTeam,
  text: string,
  actor: Actor,
  db: Tx = prisma(),
): Promise<void> {
  const waitMs = await countAttempt('origin', partner.teamId, NEW_ORIGINS_PER_DAY, DAY_MS);
  if (waitMs > 0)
    throw new ApiError('rate_limited', `At most ${NEW_ORIGINS_PER_DAY} origins can be added in a day.`, {
      param: 'origin',
      retryAfterSeconds: Math.ceil(waitMs / SECOND_MS),
    });
  await addOrigin(partner.id, text, actor, db);
}

/** False when the partner has no such origin. */
export async function removeOrigin(partnerId: string, text: string, db: Tx = prisma()): Promise<boolean> {
  const { count } = await db.partnerOrigin.deleteMany({
    where: { partnerId, origin: requireOrigin(text) },
  });
  return count > 0;
}

/** Sets after how many days commission matures; null for the default. Applies to what has not matured yet. */
export async function setEarningsHold(
  partnerId: string,
  days: number | null,
  db: Tx = prisma(),
): Promise<void> {
  await db.partner.update({ where: { id: partnerId }, data: { earningsHoldDays: days } });
}

/** The models that the partner may use. Null allows all, including future ones. */
export async function setAllowedModels(
  partnerId: string,
  models: string[] | null,
  db: Tx = prisma(),
): Promise<void> {
  await db.partner.update({
    where: { id: partnerId },
    data: { allModels: models === null, allowedModels: models ?? [] },
  });
}

/** What the app requires of every provider. */
export async function setDataRules(partnerId: string, dataRules: RuleSet, db: Tx = prisma()): Promise<void> {
  await db.partner.update({ where: { id: partnerId }, data: { dataRules } });
}

function requireOrigin(text: string): string {
  const parsed = parseOrigin(text);
  if (!parsed.ok)
    throw new ApiError('invalid_request', `origin "${text}": ${parsed.reason}`, { param: 'origin' });
  return parsed.origin;
}
