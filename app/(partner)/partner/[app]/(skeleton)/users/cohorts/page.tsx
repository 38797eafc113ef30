import { Grid3x3 } from 'lucide-react';
import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { LEAST_BUYERS, readCohorts } from '@/server/reports/activity/cohorts';
import { ExportLink } from '../../../export-link';
import { type AppParams, requireApp } from '../../../require-app';
import { CohortTable } from './cohort-table';

export const metadata: Metadata = { title: 'Cohorts' };

export default async function CohortsPage({ params }: AppParams) {
  const app = await requireApp({ params }, 'view');
  const cohorts = await readCohorts(app.id);
  return (
    <>
      <PageHead
        back={{ href: `/partner/${app.id}/users`, label: 'Users' }}
        title="Cohorts"
        description="Buyers by month of first purchase in your app, and how many bought or spent credits in it again."
      />
      <Section
        title="Last 12 months"
        description={`Percent of the buyers in each month after the first purchase. The last column is the current month to date. Months are in UTC. Months with fewer than ${LEAST_BUYERS} buyers have no details, to protect individual users.`}
        flush
        actions={cohorts.length > 0 && <ExportLink href={`/partner/${app.id}/users/cohorts/export`} />}
      >
        {cohorts.length === 0 ? (
          <EmptyState icon={<Grid3x3 size={22} aria-hidden="true" />} title="No buyers yet">
            Users appear here in the month of their first purchase in your app.
          </EmptyState>
        ) : (
          <CohortTable cohorts={cohorts} />
        )}
      </Section>
    </>
  );
}
