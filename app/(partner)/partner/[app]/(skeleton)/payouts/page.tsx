import { Banknote } from 'lucide-react';
import type { Metadata } from 'next';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { type AppParams, requireOwnedApp } from '../../owned-app';

export const metadata: Metadata = { title: 'Payouts' };

export default async function PayoutsPage(props: AppParams) {
  const app = await requireOwnedApp(props);
  return (
    <>
      <PageHead title="Payouts" description="Your matured earnings, sent to your bank." />
      <Section>
        <EmptyState
          icon={<Banknote size={22} aria-hidden="true" />}
          title="Payouts come later"
          action={
            <PageLink href={`/partner/${app.id}/earnings`} className={buttonClass({ look: 'secondary' })}>
              See your earnings
            </PageLink>
          }
        >
          Everything you earn is kept and counted from the first request. Nothing is lost by waiting: you will
          connect a bank account here.
        </EmptyState>
      </Section>
    </>
  );
}
