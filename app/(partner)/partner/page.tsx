import { redirect } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { listOwnedPartners } from '@/server/partners/owner';

/** The newest of the visitor's apps; the way to a first one for who has none. */
export default async function PartnerPage() {
  const { email } = await requireSession();
  const newest = (await listOwnedPartners(email)).at(-1);
  redirect(newest === undefined ? '/partner/new' : `/partner/${newest.id}`);
}
