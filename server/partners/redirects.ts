import { nowDate } from '../base/clock';
import { prisma, type Tx } from '../base/db';
import { ApiError } from '../base/errors';
import { type Actor, type Registered, withMakers } from './audit-log';
import { parseRedirect } from './redirect-rules';

/** The addresses of an app that the browser may return to after a sign-in by redirect. */

const MAX_REDIRECTS = 100;

export async function listRedirects(partnerId: string, db: Tx = prisma()): Promise<string[]> {
  const rows = await db.partnerRedirect.findMany({ where: { partnerId }, orderBy: { uri: 'asc' } });
  return rows.map((row) => row.uri);
}

export async function listRedirectsWithMakers(partnerId: string): Promise<Registered[]> {
  const rows = await prisma().partnerRedirect.findMany({ where: { partnerId }, orderBy: { uri: 'asc' } });
  return withMakers(rows.map(({ uri, createdBy }) => ({ value: uri, createdBy })));
}

export async function addRedirect(
  partnerId: string,
  text: string,
  createdBy: Actor | null = null,
  db: Tx = prisma(),
): Promise<void> {
  const { uri } = requireRedirect(text);
  if ((await db.partnerRedirect.count({ where: { partnerId } })) >= MAX_REDIRECTS)
    throw new ApiError(
      'invalid_request',
      `redirect_uri: this app has ${MAX_REDIRECTS} redirect addresses, which is the maximum`,
      { param: 'redirect_uri' },
    );
  await db.partnerRedirect.createMany({
    data: [{ partnerId, uri, createdAt: nowDate(), createdBy }],
    skipDuplicates: true,
  });
}

/** False when the partner has no such address. Pending sign-in tokens for it become invalid. */
export async function removeRedirect(partnerId: string, text: string, db: Tx = prisma()): Promise<boolean> {
  const { uri } = requireRedirect(text);
  const { count } = await db.partnerRedirect.deleteMany({ where: { partnerId, uri } });
  return count > 0;
}

/** `uri` is the address as it is registered, `url` the one to return to. */
export async function requireRegisteredRedirect(
  partnerId: string,
  text: string,
): Promise<{ uri: string; url: URL }> {
  const redirect = requireRedirect(text);
  const { uri } = redirect;
  if ((await prisma().partnerRedirect.count({ where: { partnerId, uri } })) === 1) return redirect;
  throw new ApiError(
    'invalid_request',
    `redirect_uri: ${uri} is not registered for this app. Add exactly this address under Origins, Redirect addresses, in the partner dashboard.`,
    { param: 'redirect_uri' },
  );
}

function requireRedirect(text: string): { uri: string; url: URL } {
  const parsed = parseRedirect(text);
  if (!parsed.ok)
    throw new ApiError('invalid_request', `redirect_uri: ${parsed.reason}`, { param: 'redirect_uri' });
  return parsed;
}
