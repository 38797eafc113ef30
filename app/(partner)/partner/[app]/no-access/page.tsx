import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { isRight, writeRolesWith } from '@/server/partners/rights';
import { type AppParams, requireMember } from '../require-app';
import type { Search } from '../search';

export const metadata: Metadata = { title: 'No access' };

type Props = AppParams & { searchParams: Promise<Search> };

export default async function NoAccessPage({ params, searchParams }: Props) {
  const { app, role } = await requireMember({ params });
  const { needs } = await searchParams;
  return (
    <>
      <PageHead title="No access" />
      <Section>
        <EmptyState title="Your role does not include this page">
          {isRight(needs) && `${writeRolesWith(needs)} can open it. `}Your role is {role}. The owner can
          change it on the page{' '}
          <PageLink href={`/partner/${app.id}/team`} className="text-accent underline">
            Team
          </PageLink>
          .
        </EmptyState>
      </Section>
    </>
  );
}
