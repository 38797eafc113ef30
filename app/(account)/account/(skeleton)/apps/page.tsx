import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { listAppsOfUser } from '@/server/people/apps-of-user';
import { toAppRow } from './app-row';
import { AppTable } from './app-table';

export const metadata: Metadata = { title: 'Apps' };

/** The apps a user has signed in to, and what each may spend. */
export default async function AppsPage() {
  const { userId } = await requireSession();
  const apps = await listAppsOfUser(userId);
  return (
    <>
      <PageHead
        title="Apps"
        description="An app first spends credits bought in it, then your other credits up to its allowance. Choose an app to change its allowance or see its keys."
      />
      <Section flush>
        <AppTable rows={apps.map(toAppRow)} />
      </Section>
    </>
  );
}
