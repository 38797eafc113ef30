import { prisma } from '../base/db';
import { type ActionLink, readActionToken } from './keys/action-link';

/** Where the address in a 402 leads, for the user who is signed in. */
export type ActionPlace = { path: string } | 'other_account';

/** Null when the address is not ours or has expired, or its key is gone. Changes nothing. */
export async function findActionPlace(token: string, userId: string): Promise<ActionPlace | null> {
  const link = readActionToken(token);
  const key =
    link &&
    (await prisma().userKey.findUnique({
      where: { hash: link.keyHash },
      select: { userId: true, partnerId: true, lineage: true },
    }));
  if (link === null || key === null) return null;
  return key.userId === userId ? { path: pathOf(link, key) } : 'other_account';
}

type Key = { partnerId: string; lineage: string[] };

function pathOf({ page }: ActionLink, { partnerId, lineage: [, first] }: Key): string {
  if (page === 'limits') return '/account/limits';
  if (page === 'run_key') return `/account/apps/${partnerId}?key=${first}`;
  return page === 'app' ? `/account/apps/${partnerId}` : `/account/buy?app=${partnerId}`;
}
