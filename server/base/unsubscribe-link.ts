import { openSealed, seal } from './seal';

/**
 * The link in a mail that ends mails of its kind without signing in. Its token is encrypted, because the id of the
 * account must not appear in a URL. It does not expire: it only turns off what its user can turn on again.
 */

export const WARNING_KINDS = ['limits', 'unusual', 'weekly'] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export type Subscription =
  | { userId: string; kind: WarningKind }
  /** Alerts about the apps of a team. */
  | { userId: string; kind: 'alerts'; teamId: string };

const PURPOSE = 'unsubscribe-link';
const TOKEN = /^[\w-]{80,240}$/;

/** The page that asks, and the address for mail programs, which takes a POST. */
export function writeUnsubscribePaths(subscription: Subscription): { page: string; oneClick: string } {
  const { userId, kind } = subscription;
  const teamId = kind === 'alerts' ? subscription.teamId : '';
  const sealed = Buffer.from(seal([userId, kind, teamId].join(' '), PURPOSE)).toString('base64url');
  return { page: `/unsubscribe?token=${sealed}`, oneClick: `/api/unsubscribe?token=${sealed}` };
}

/** Null when the token is not ours. */
export function readUnsubscribeToken(token: string): Subscription | null {
  if (!TOKEN.test(token)) return null;
  let text: string;
  try {
    text = openSealed(Buffer.from(token, 'base64url'), PURPOSE);
  } catch {
    return null;
  }
  const [userId = '', kind = '', teamId = ''] = text.split(' ');
  if (kind === 'alerts') return { userId, kind, teamId };
  const known = WARNING_KINDS.find((name) => name === kind);
  return known === undefined ? null : { userId, kind: known };
}
