import type { PartnerProfile } from '../../prisma/client/client';
import { prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { sha256 } from '../base/ids';
import { checkLogo } from './logo';

/**
 * What the checkout shows of an app in addition to its name: site, support address and logo. Users see only what an
 * operator approved; a change waits, and what was approved stays until then. The logo is stored here, so that its
 * address neither tells a third party who opens the checkout nor shows something else later.
 */

export type ProfileInput = {
  site: string;
  support: string;
  /** Undefined keeps the logo that is shown or waits; null removes it. */
  logo?: Buffer | null | undefined;
};

export type Profile = Pick<PartnerProfile, 'site' | 'support' | 'logo' | 'logoType' | 'hash'>;

/** The approved profile, and the one that waits for approval. */
export async function readProfiles(
  partnerId: string,
  db: Tx = prisma(),
): Promise<{ approved: Profile | null; pending: Profile | null }> {
  const rows = await db.partnerProfile.findMany({ where: { partnerId } });
  const find = (isPending: boolean) => rows.find((row) => row.isPending === isPending) ?? null;
  return { approved: find(false), pending: find(true) };
}

/** Replaces what waits. Saving what is approved already ends the wait. */
export async function saveProfile(
  tx: Tx,
  partnerId: string,
  input: ProfileInput,
): Promise<'saved' | 'waiting'> {
  const site = requireSite(input.site);
  const support = requireSupport(input.support);
  const { approved, pending } = await readProfiles(partnerId, tx);
  const image = input.logo === undefined ? logoOf(pending ?? approved) : requireLogo(input.logo);
  const profile = { site, support, ...image, hash: hashOf({ site, support, logo: image.logo }) };
  await tx.partnerProfile.deleteMany({ where: { partnerId, isPending: true } });
  if (profile.hash === (approved?.hash ?? hashOf(NOTHING))) return 'saved';
  await tx.partnerProfile.create({ data: { partnerId, isPending: true, ...profile } });
  return 'waiting';
}

/** Approves the profile that the operator saw. False when it has changed since. */
export async function approveProfile(partnerId: string, hash: string, tx: Tx): Promise<boolean> {
  if ((await tx.partnerProfile.count({ where: { partnerId, hash, isPending: true } })) === 0) return false;
  await tx.partnerProfile.deleteMany({ where: { partnerId, isPending: false } });
  await tx.partnerProfile.updateMany({ where: { partnerId, hash }, data: { isPending: false } });
  return true;
}

export async function declineProfile(partnerId: string, hash: string, tx: Tx): Promise<boolean> {
  const { count } = await tx.partnerProfile.deleteMany({ where: { partnerId, hash, isPending: true } });
  return count > 0;
}

/** The apps with a profile that waits for an operator. */
export async function listWaitingProfiles(): Promise<Set<string>> {
  const rows = await prisma().partnerProfile.findMany({
    where: { isPending: true },
    select: { partnerId: true },
  });
  return new Set(rows.map(({ partnerId }) => partnerId));
}

export type ShownProfile = { site: string | null; support: string | null; logoPath: string | null };

/** What users see. */
export async function readShownProfile(partnerId: string): Promise<ShownProfile> {
  const row = await prisma().partnerProfile.findUnique({
    where: { partnerId_isPending: { partnerId, isPending: false } },
    select: { site: true, support: true, hash: true, logoType: true },
  });
  if (row === null) return { site: null, support: null, logoPath: null };
  return { site: row.site, support: row.support, logoPath: row.logoType && `/logos/${row.hash}` };
}

/** An approved logo, by the hash of its profile: an address never shows another picture. */
export async function findApprovedLogo(hash: string): Promise<{ bytes: Uint8Array; type: string } | null> {
  const row = await prisma().partnerProfile.findFirst({ where: { hash, isPending: false } });
  return row?.logo && row.logoType ? { bytes: row.logo, type: row.logoType } : null;
}

type Image = Pick<PartnerProfile, 'logo' | 'logoType'>;

const NOTHING = { site: null, support: null, logo: null };

const logoOf = (profile: Image | null): Image => ({
  logo: profile?.logo ?? null,
  logoType: profile?.logoType ?? null,
});

function hashOf({ site, support, logo }: Pick<Profile, 'site' | 'support' | 'logo'>): string {
  const image = logo && Buffer.from(logo).toString('base64');
  return sha256(JSON.stringify([site, support, image])).toString('hex');
}

const MAX_SITE = 200;

function requireSite(text: string): string | null {
  const given = text.trim();
  if (given === '') return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  const isPlain =
    url && url.protocol === 'https:' && url.username === '' && url.password === '' && url.port === '';
  if (
    !isPlain ||
    url.search !== '' ||
    url.hash !== '' ||
    !/\.[a-z0-9-]{2,}$/.test(url.hostname) ||
    url.href.length > MAX_SITE
  )
    throw refuse('site', 'Enter an address such as https://example.com, without a port, query or fragment');
  return url.href;
}

const SUPPORT_FORM = /^[\w.+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}$/;
const MAX_SUPPORT = 254;

function requireSupport(text: string): string | null {
  const given = text.trim().toLowerCase();
  if (given === '') return null;
  if (given.length > MAX_SUPPORT || !SUPPORT_FORM.test(given))
    throw refuse('support', 'Enter an e-mail address such as help@example.com');
  return given;
}

function requireLogo(logo: Buffer | null): Image {
  if (logo === null) return { logo: null, logoType: null };
  const checked = checkLogo(logo);
  if (!checked.ok) throw refuse('logo', checked.reason);
  return { logo: Uint8Array.from(logo), logoType: checked.type };
}

const refuse = (param: string, reason: string): ApiError =>
  new ApiError('invalid_request', reason, { param });
