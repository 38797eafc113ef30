import { redirect } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { listOwnedPartners } from '@/server/partners/owner';

/** Leads to the user's newest app, or to the form for a first one. */
export default async function PartnerPage() {
  const { email } = await requireSession();
  const newest = (await listOwnedPartners(email)).at(-1);
  redirect(newest === undefined ? '/partner/new' : `/partner/${newest.id}`);
}
