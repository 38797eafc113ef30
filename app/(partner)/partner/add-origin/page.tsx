import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { readPageTexts } from '@/app/_session/page-texts';
import { PresenceDialog } from '@/app/_session/presence-dialog';
import { requireSession } from '@/app/_session/session';
import { Notice } from '@/app/_ui/notice';
import { readableOrigin } from '@/app/_ui/readable-origin';
import { type ParsedOrigin, parseOrigin } from '@/server/partners/origin-rules';
import { findPartnerByKey, listOrigins } from '@/server/partners/partner';
import { hasRight, writeRolesWith } from '@/server/partners/rights';
import { findMembership, type Membership } from '@/server/partners/teams';
import { PartnerFrame } from '../../partner-frame';
import { AddOrigin } from './add-origin';

export const metadata: Metadata = { title: 'Add an origin' };

type Props = { searchParams: Promise<Record<string, string | string[]>> };

/** Where a program sends a member of the team to add an origin. The key names the app without its id. */
export default async function AddOriginPage({ searchParams }: Props) {
  const { email } = await requireSession();
  const { publishable_key: key, origin } = await searchParams;
  if (typeof key !== 'string' || typeof origin !== 'string') notFound();
  const found = await findPartnerByKey(key);
  const membership = (found && (await findMembership(email, found.id))) ?? notFound();
  const { partner } = membership;
  const parsed = parseOrigin(origin);
  const fault = await findFault(membership, parsed);
  return (
    <PartnerFrame back={{ href: `/partner/${partner.id}/integration`, label: `Back to ${partner.name}` }}>
      <h1 className="mb-6 text-2xl font-semibold tracking-tight wrap-anywhere">
        Add an origin to {partner.name}
      </h1>
      {fault === null && parsed.ok ? (
        <PresenceDialog texts={await readPageTexts('presence')}>
          <Proposed name={partner.name} {...parsed} />
          <AddOrigin partnerId={partner.id} origin={parsed.origin} />
        </PresenceDialog>
      ) : (
        <Notice>{fault}</Notice>
      )}
    </PartnerFrame>
  );
}

async function findFault({ partner, role }: Membership, parsed: ParsedOrigin): Promise<string | null> {
  if (!parsed.ok) return `The origin ${parsed.reason}.`;
  if ((await listOrigins(partner.id)).includes(parsed.origin))
    return `${parsed.origin} is already registered.`;
  return hasRight(role, 'develop') ? null : `${writeRolesWith('develop')} can add an origin.`;
}

function Proposed({ name, origin, warning }: { name: string; origin: string; warning?: string }) {
  const readable = readableOrigin(origin);
  return (
    <>
      <p className="mb-4 rounded-xl bg-sunken p-4 text-sm font-medium wrap-anywhere">
        <code className="font-mono">{origin}</code>
        {readable && <span className="block text-muted">{readable}</span>}
      </p>
      {warning && <p className="mb-4 text-sm text-muted">Careful: {warning}.</p>}
      <p className="mb-6 text-sm text-muted">
        A program asks you to add it. Its pages can then open the checkout of {name} and spend the credits of
        users who sign in there. Continue only if you asked a program to do this, and the origin is yours.
      </p>
    </>
  );
}
