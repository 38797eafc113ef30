import type { Partner } from '../../prisma/client/client';
import { nowDate } from '../clock';
import { inTransaction, prisma } from '../db';
import { ApiError } from '../errors';
import { newId } from '../ids';
import { hasValidChecksum } from '../keys/checked-token';
import { resumeDeliveries } from '../webhooks/resume';
import { checkName } from './name';
import { parseOrigin } from './origin-rules';
import { newPublishableKey, PUBLISHABLE_KEY_PREFIX } from './publishable-key';
import { MAX_RATE_BP } from './rate';

export type { Partner };

export async function findPartnerByKey(publishableKey: string): Promise<Partner | null> {
  const canExist = publishableKey.startsWith(PUBLISHABLE_KEY_PREFIX) && hasValidChecksum(publishableKey);
  return canExist ? prisma().partner.findUnique({ where: { publishableKey } }) : null;
}

export function findPartner(id: string): Promise<Partner | null> {
  return prisma().partner.findUnique({ where: { id } });
}

/** The enabled partner of a publishable key. */
export async function requirePartner(publishableKey: string): Promise<Partner> {
  const partner = await findPartnerByKey(publishableKey);
  if (partner === null) {
    throw new ApiError('invalid_publishable_key', 'This publishable key is not known', {
      param: 'publishable_key',
    });
  }
  if (partner.disabledAt !== null) throw partnerDisabled();
  return partner;
}

export function partnerDisabled(): ApiError {
  return new ApiError('partner_disabled', 'This app is disabled at the moment');
}

export type NewPartner = { name: string; rateBp: number; origins: string[]; ownerEmail?: string | undefined };

export async function createPartner({ name, rateBp, origins, ownerEmail }: NewPartner): Promise<Partner> {
  const data = {
    id: newId('prt'),
    name: requireName(name),
    publishableKey: newPublishableKey(),
    ownerEmail: ownerEmail ?? null,
    rateBp: requireRate(rateBp),
    createdAt: nowDate(),
  };
  const registered = [...new Set(origins.map(requireOrigin))];
  return inTransaction(async (tx) => {
    const partner = await tx.partner.create({ data });
    await tx.partnerOrigin.createMany({
      data: registered.map((origin) => ({ partnerId: partner.id, origin, createdAt: nowDate() })),
    });
    return partner;
  });
}

export function listPartners(): Promise<Partner[]> {
  return prisma().partner.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

export async function listOrigins(partnerId: string): Promise<string[]> {
  const rows = await prisma().partnerOrigin.findMany({ where: { partnerId }, orderBy: { origin: 'asc' } });
  return rows.map((row) => row.origin);
}

/** Suspends the partner's keys; they work again once it is enabled. */
export async function disablePartner(partnerId: string): Promise<void> {
  await prisma().partner.updateMany({
    where: { id: partnerId, disabledAt: null },
    data: { disabledAt: nowDate() },
  });
}

export async function enablePartner(partnerId: string): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.partner.update({ where: { id: partnerId }, data: { disabledAt: null } });
    await resumeDeliveries(tx, partnerId);
  });
}

/** Holds for requests that start from now on; running ones keep the rate they were admitted with. */
export async function setPartnerRate(partnerId: string, rateBp: number): Promise<void> {
  await prisma().partner.update({ where: { id: partnerId }, data: { rateBp: requireRate(rateBp) } });
}

export async function renamePartner(partnerId: string, name: string): Promise<void> {
  await prisma().partner.update({ where: { id: partnerId }, data: { name: requireName(name) } });
}

export async function addOrigin(partnerId: string, text: string): Promise<void> {
  const origin = requireOrigin(text);
  await prisma().partnerOrigin.createMany({
    data: [{ partnerId, origin, createdAt: nowDate() }],
    skipDuplicates: true,
  });
}

/** False when the partner has no such origin. */
export async function removeOrigin(partnerId: string, text: string): Promise<boolean> {
  const { count } = await prisma().partnerOrigin.deleteMany({
    where: { partnerId, origin: requireOrigin(text) },
  });
  return count > 0;
}

/** The models that the partner may use; null allows all, those to come included. */
export async function setAllowedModels(partnerId: string, models: string[] | null): Promise<void> {
  await prisma().partner.update({
    where: { id: partnerId },
    data: { allModels: models === null, allowedModels: models ?? [] },
  });
}

function requireName(text: string): string {
  const checked = checkName(text);
  if (!checked.ok) throw new ApiError('invalid_request', `name: ${checked.reason}`, { param: 'name' });
  return checked.name;
}

function requireRate(rateBp: number): number {
  if (!Number.isInteger(rateBp) || rateBp < 0 || rateBp > MAX_RATE_BP) {
    throw new ApiError('invalid_request', 'rate: between 0 and 100 percent', { param: 'rate' });
  }
  return rateBp;
}

function requireOrigin(text: string): string {
  const parsed = parseOrigin(text);
  if (!parsed.ok)
    throw new ApiError('invalid_request', `origin "${text}": ${parsed.reason}`, { param: 'origin' });
  return parsed.origin;
}
