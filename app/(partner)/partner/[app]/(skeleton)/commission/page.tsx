import type { Metadata } from 'next';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { nowDate } from '@/server/base/clock';
import { type CatalogModel, catalogModels } from '@/server/gateway/pricing/catalog';
import { modelsOf } from '@/server/gateway/pricing/served';
import { formatPercent } from '@/server/partners/rate';
import { listRates, type PartnerRate } from '@/server/partners/rates';
import { hasRight } from '@/server/partners/rights';
import { type AppDay, readAppDays } from '@/server/reports/activity/partner-activity';
import { readPeriod } from '@/server/reports/activity/periods';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import { cancelRate } from './actions';
import { chooseExamples } from './examples';
import { RateForm } from './rate-form';
import { RatesTable } from './rates-table';

export const metadata: Metadata = { title: 'Commission' };

export default async function CommissionPage(props: AppParams) {
  const { app, role } = await requireMember(props);
  const [rates, days] = await Promise.all([listRates(app.id), readAppDays(app.id, readPeriod('30d'))]);
  const used = rankModels(days);
  const planned = rates.find(({ appliedAt }) => appliedAt === null);
  const isAllowed = ({ id, type }: CatalogModel) =>
    type === 'language' && (app.allModels || app.allowedModels.includes(id));
  return (
    <>
      <PageHead
        title="Commission"
        description="Added on top of the provider cost. Users pay both; you earn the commission."
      />
      {planned && <Planned partnerId={app.id} rate={planned} canChange={hasRight(role, 'rate')} />}
      <Section
        title="Rate"
        description="A new rate applies to requests that start once it is in effect. Requests in progress keep their rate."
      >
        {!hasRight(role, 'rate') && <p className="mb-2 text-lg font-medium">{formatPercent(app.rateBp)}%</p>}
        <ForRight role={role} right="rate">
          <RateForm
            key={app.rateBp}
            partnerId={app.id}
            rateBp={app.rateBp}
            rateCapBp={app.rateCapBp}
            examples={chooseExamples(
              used,
              modelsOf(app).filter(({ type }) => type === 'language'),
              catalogModels().filter(isAllowed),
            )}
          />
        </ForRight>
      </Section>
      <Section title="History" flush>
        <RatesTable
          rows={rates.map(({ id, rateBp, effectiveAt, appliedAt }) => ({
            id,
            percent: formatPercent(rateBp),
            from: effectiveAt.toISOString(),
            state: appliedAt === null ? 'planned' : 'applied',
          }))}
        />
      </Section>
    </>
  );
}

/** Most requests first. */
function rankModels(days: AppDay[]): string[] {
  const counts = new Map<string, number>();
  for (const { model, requests } of days) counts.set(model, (counts.get(model) ?? 0) + requests);
  return [...counts].sort(([, a], [, b]) => b - a).map(([model]) => model);
}

type PlannedProps = { partnerId: string; rate: PartnerRate; canChange: boolean };

function Planned({ partnerId, rate, canChange }: PlannedProps) {
  const percent = formatPercent(rate.rateBp);
  const isDue = rate.effectiveAt <= nowDate();
  return (
    <div className="mb-6 flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-accent-soft px-5 py-4 text-sm">
      <p>
        {isDue ? (
          `The rate changes to ${percent}% within a minute.`
        ) : (
          <>
            The rate changes to <strong>{percent}%</strong> on <Time at={rate.effectiveAt.toISOString()} />.
          </>
        )}
      </p>
      {canChange && (
        <ConfirmButton
          label="Cancel change"
          title="Cancel the scheduled change?"
          consequence="The current rate stays until you set another."
          action={cancelRate.bind(null, { partnerId })}
        />
      )}
    </div>
  );
}
