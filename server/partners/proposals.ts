import type { Partner } from '../../prisma/client/client';
import { HOUR_MS, now } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { sha256 } from '../base/ids';
import { openSealed, seal } from '../base/seal';

/**
 * An app that a program asks a person to create. The program receives a random token, and the URL of a page with the
 * token and the details filled in. The app that the person creates there keeps the hash of the token, with which the
 * program finds its publishable key. A proposal is stored nowhere else.
 */

const PURPOSE = 'app-proposal';
const LIFETIME_MS = HOUR_MS;
const TOKEN = /^[\w-]{40,80}$/;

export type Proposal = { token: string; expiresAt: Date };

export function newProposal(): Proposal {
  const expiresAt = new Date(now() + LIFETIME_MS);
  // The nonce of the encryption makes each token unique.
  const token = Buffer.from(seal(expiresAt.getTime().toString(36), PURPOSE)).toString('base64url');
  return { token, expiresAt };
}

/** Null when the token is not ours or has expired. */
export function readProposal(token: string): Proposal | null {
  const sealed = Buffer.from(token, 'base64url');
  // Decoding ignores an incomplete end.
  if (!TOKEN.test(token) || sealed.toString('base64url') !== token) return null;
  try {
    const expiresAt = new Date(Number.parseInt(openSealed(sealed, PURPOSE), 36));
    return expiresAt.getTime() > now() ? { token, expiresAt } : null;
  } catch {
    return null;
  }
}

/** The app that was created from a proposal. */
export const findProposed = (token: string, db: Tx = prisma()): Promise<Partner | null> =>
  db.partner.findUnique({ where: { proposalHash: hashProposal(token) } });

export const hashProposal = (token: string): Uint8Array<ArrayBuffer> => new Uint8Array(sha256(token));

/** Why no app can be created from a proposal, for the person who opened its page. */
export async function findFault(token: string, db?: Tx): Promise<string | null> {
  if (readProposal(token) === null) return `This link has expired. ${ASK_AGAIN}`;
  return (await findProposed(token, db)) && `An app was already created with this link. ${ASK_AGAIN}`;
}

const ASK_AGAIN = 'Ask the program that gave it to you for a new one.';

/** A namespace of PostgreSQL's advisory locks. */
const PROPOSAL_LOCK = 3_704_306;

/** Of two people who create an app from one proposal at once, the second one is refused. */
export async function requireUnused(tx: Tx, token: string): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PROPOSAL_LOCK}::int, hashtext(${token}))`;
  const fault = await findFault(token, tx);
  if (fault !== null) throw new ApiError('invalid_request', fault);
}
