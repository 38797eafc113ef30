import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { settings } from '../base/env';
import { ApiError, invariant } from '../base/errors';
import { newId } from '../base/ids';
import { normaliseEmail } from './email';
import { sendIdentityMail } from './identity-mail';
import { isOfCompany, nameOfProvider, type Provider } from './issuers';
import { lockUser } from './passkeys';

/**
 * The identities of users at issuers. A linked identity signs in to one account, whatever address the issuer gives for it
 * later: addresses get new owners, subjects do not.
 */

export type Claims = Readonly<Record<string, unknown>>;

export type Identity = {
  provider: Provider;
  issuer: string;
  subject: string;
  /** Normalised. Null unless the issuer has verified it. */
  email: string | null;
  /** Whether the address opens a new account without a code. */
  isCurrent: boolean;
};

const GOOGLE = 'https://accounts.google.com';
const MICROSOFT = 'https://login.microsoftonline.com/';
const MAX_CHARACTERS = 500;

/** The identity of verified claims. Null if it may not sign in here. */
export function readIdentity(provider: Provider, claims: Claims): Identity | null {
  const { iss: issuer, sub: subject } = claims;
  if (!isShortText(issuer) || !isShortText(subject)) return null;
  const said = { provider, issuer, subject, email: readVerifiedEmail(issuer, claims) };
  const identity = { ...said, isCurrent: isCurrent(said, claims) };
  return provider !== 'oidc' || isAllowed(identity, claims) ? identity : null;
}

const isShortText = (claim: unknown): claim is string =>
  typeof claim === 'string' && claim !== '' && claim.length <= MAX_CHARACTERS;

function readVerifiedEmail(issuer: string, claims: Claims): string | null {
  const { email } = claims;
  const given = normaliseEmail(isShortText(email) ? email : '');
  return given.ok && isVerified(issuer, claims) ? given.email : null;
}

/**
 * Microsoft passes on what the administrator of any directory entered, and marks an address that it has verified or whose
 * domain the directory owns.
 */
function isVerified(issuer: string, { email_verified: verified, xms_edov: isMarked }: Claims): boolean {
  return issuer.startsWith(MICROSOFT)
    ? [true, 1, '1', 'true'].some((yes) => yes === isMarked)
    : verified === true;
}

/**
 * An issuer verifies an address of another mailbox once. The mailbox may have a new owner since, who would find the account
 * open to the former one. Google runs the mail of its own domains, and the company's issuer is the operator's choice.
 */
function isCurrent(
  { provider, issuer, email }: Omit<Identity, 'isCurrent'>,
  { hd: workspace }: Claims,
): boolean {
  if (issuer !== GOOGLE) return provider === 'oidc';
  return isShortText(workspace) || /@(gmail|googlemail)\.com$/.test(email ?? '');
}

/** Whether the company's issuer is the one that is set, and lets this person in. */
function isAllowed(identity: Identity, { groups }: Claims): boolean {
  const { OIDC_DOMAINS, OIDC_GROUPS } = settings();
  const { email, isCurrent } = identity;
  const domain = isCurrent ? email?.slice(email.lastIndexOf('@') + 1) : undefined;
  const given: unknown[] = Array.isArray(groups) ? groups : [];
  return (
    isOfCompany(identity) &&
    (OIDC_DOMAINS.length === 0 || (domain !== undefined && OIDC_DOMAINS.includes(domain))) &&
    (OIDC_GROUPS.length === 0 || OIDC_GROUPS.some((group) => given.includes(group)))
  );
}

type Subject = Pick<Identity, 'provider' | 'issuer' | 'subject'>;

export type Owner = { userId: string; email: string; identityId: string };

/** The account that the identity is linked to. It is not deleted before the transaction ends. */
export async function findOwner(tx: Tx, identity: Subject): Promise<Owner | null> {
  const { provider, issuer, subject } = identity;
  const link = await tx.linkedIdentity.findUnique({
    where: { provider_issuer_subject: { provider, issuer, subject } },
  });
  if (link === null) return null;
  const { id: identityId, userId } = link;
  const user = await lockUser(tx, userId);
  const used = await tx.linkedIdentity.updateMany({
    where: { id: identityId, userId },
    data: { lastUsedAt: nowDate() },
  });
  return user !== null && used.count === 1 ? { userId, email: user.email, identityId } : null;
}

/** Links the identity, once. Returns the id of the link. */
export async function linkIdentity(tx: Tx, userId: string, identity: Subject): Promise<string> {
  const { provider, issuer, subject } = identity;
  const [link] = await tx.$queryRaw<{ id: string; userId: string }[]>`
    INSERT INTO linked_identity (id, user_id, provider, issuer, subject, created_at, last_used_at)
    VALUES (${newId('idn')}, ${userId}, ${provider}, ${issuer}, ${subject}, ${nowDate()}, ${nowDate()})
    ON CONFLICT (provider, issuer, subject) DO UPDATE SET last_used_at = excluded.last_used_at
    RETURNING id, user_id AS "userId"`;
  invariant(link, 'an upsert returns its row');
  if (link.userId !== userId)
    throw new ApiError('invalid_request', `${nameOfProvider(provider)} already signs in to another account.`);
  return link.id;
}

export type LinkedIdentity = { identityId: string; name: string; createdAt: Date; lastUsedAt: Date };

/** Oldest first. */
export async function listIdentities(userId: string): Promise<LinkedIdentity[]> {
  const rows = await prisma().linkedIdentity.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(({ id, provider, createdAt, lastUsedAt }) => ({
    identityId: id,
    name: nameOfProvider(provider),
    createdAt,
    lastUsedAt,
  }));
}

/** False when the user has no such link. Devices that it signed in to stay, and no longer count as of the issuer. */
export async function removeIdentity(
  { userId, email }: { userId: string; email: string },
  identityId: string,
): Promise<boolean> {
  const link = await prisma().linkedIdentity.findUnique({ where: { id: identityId, userId } });
  const { count } = await prisma().linkedIdentity.deleteMany({ where: { id: identityId, userId } });
  if (link !== null && count > 0) await sendIdentityMail(email, link, 'removed');
  return count > 0;
}
