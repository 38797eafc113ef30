import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { listAppsOfUser } from '@/server/identity/apps-of-user';
import { toAppRow } from './app-row';
import { AppTable } from './app-table';

export const metadata: Metadata = { title: 'Apps' };

/** The apps that somebody signed in to, and what each may spend. */
export default async function AppsPage() {
  const { userId } = await requireSession();
  const apps = await listAppsOfUser(userId);
  return (
    <>
      <PageHead
        title="Apps"
        description="An app spends what was bought in it first, then as much of your other credits as you allow. Choose an app to change that, or to see its keys."
      />
      <Section flush>
        <AppTable rows={apps.map(toAppRow)} />
      </Section>
    </>
  );
}
