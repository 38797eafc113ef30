import { redirect } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { listTeams, newestAppOf } from '@/server/partners/teams';

/** Leads to the user's newest app, or to the form for a first one. */
export default async function PartnerPage() {
  const { email } = await requireSession();
  const newest = newestAppOf(await listTeams(email));
  redirect(newest === undefined ? '/partner/new' : `/partner/${newest.id}`);
}
