import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { BarChart } from '@/app/_ui/bar-chart';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { barStepOf, barsOf } from '@/server/reports/activity/bars';
import { type ErrorCount, readErrorDays } from '@/server/reports/activity/partner-activity';
import { readPeriod } from '@/server/reports/activity/periods';
import { FilterForm } from '../../filter-form';
import { PeriodField, readPeriodChoice } from '../../period-field';
import { type AppParams, requireApp } from '../../require-app';
import { ERROR_WORDS } from './error-words';
import { ErrorsTable } from './errors-table';

export const metadata: Metadata = { title: 'Errors' };

type Props = AppParams & { searchParams: Promise<{ period?: string | string[] }> };

export default async function ErrorsPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const period = readPeriodChoice((await searchParams).period);
  const range = readPeriod(period);
  const errors = await readErrorDays(app.id, range);
  return (
    <>
      <PageHead
        title="Errors"
        description="Requests from your users that returned an error, by code. None were charged."
      />
      <Section
        title={`By ${barStepOf(period)}`}
        description="Dates are in UTC."
        actions={
          <FilterForm path={`/partner/${app.id}/errors`}>
            <PeriodField period={period} />
          </FilterForm>
        }
      >
        {errors.length === 0 ? (
          <EmptyState icon={<CircleCheck size={22} aria-hidden="true" />} title="No errors in this period">
            Errors such as an empty balance or a failing provider are counted here by code.
          </EmptyState>
        ) : (
          <BarChart
            title={`Errors by ${barStepOf(period)} and code`}
            {...barsOf(
              errors.map(({ day, code, count }) => ({ day, name: code, value: count })),
              range,
              period,
            )}
          />
        )}
      </Section>
      {errors.length > 0 && (
        <Section title="By code" description="Includes the x-request-id of the first failed request." flush>
          <ErrorsTable
            rows={byCode(errors).map((row) => ({
              ...row,
              href: `/partner/${app.id}/requests/${row.firstRequestId}`,
            }))}
          />
        </Section>
      )}
    </>
  );
}

function byCode(errors: ErrorCount[]) {
  const sums = new Map<string, Pick<ErrorCount, 'count' | 'firstRequestId'>>();
  for (const { code, count, firstRequestId } of errors) {
    const sum = sums.get(code) ?? { count: 0, firstRequestId: null };
    sums.set(code, { count: sum.count + count, firstRequestId: sum.firstRequestId ?? firstRequestId });
  }
  return [...sums]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([code, sum]) => ({ code, ...sum, ...ERROR_WORDS[code] }));
}
