import { UserPlus } from 'lucide-react';
import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { type AppParams, requireOwnedApp } from '../../owned-app';

export const metadata: Metadata = { title: 'Team' };

export default async function TeamPage(props: AppParams) {
  await requireOwnedApp(props);
  return (
    <>
      <PageHead title="Team" description="Who may see and change this app." />
      <Section>
        <EmptyState icon={<UserPlus size={22} aria-hidden="true" />} title="Only you, for now">
          You are the owner and the only one with access. Inviting others, with what each may see and change,
          comes later.
        </EmptyState>
      </Section>
    </>
  );
}
