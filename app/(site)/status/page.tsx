import type { Metadata } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { Badge, type BadgeLook } from '@/app/_ui/badge';
import {
  type PartState,
  type PartStatus,
  readServiceStatus,
  type ServiceStatus,
} from '@/server/reports/activity/service-status';
import { SiteFrame } from '../parts/site-frame';
import { DayBars, writeShare } from './day-bars';

export const metadata: Metadata = {
  title: 'Status',
  description: 'Whether requests, checkout and sign-in work, and how each provider responds.',
};

const PARTS = { requests: 'Requests', checkout: 'Checkout', sign_in: 'Sign-in' };

const STATES: Record<PartState, { label: string; look: BadgeLook }> = {
  working: { label: 'Working', look: 'positive' },
  degraded: { label: 'Degraded', look: 'warning' },
  failing: { label: 'Failing', look: 'danger' },
  unused: { label: 'No recent data', look: 'neutral' },
};

export default async function StatusPage() {
  await connection();
  const status = await readServiceStatus().catch(() => null);
  return (
    <SiteFrame current="status">
      <main id="content" tabIndex={-1} className="mx-auto max-w-[820px] pt-10 outline-none sm:pt-14">
        <h1 className="text-[30px] leading-tight font-semibold tracking-tight sm:text-[38px]">Status</h1>
        {status === null ? <Unknown /> : <Known status={status} />}
      </main>
    </SiteFrame>
  );
}

/** The database does not respond, and nothing works without it. */
const Unknown = () => (
  <Summary look="danger">
    The service cannot read its data now, so requests, checkout and sign-in may fail.
  </Summary>
);

function Known({ status: { parts, providers, readAt } }: { status: ServiceStatus }) {
  return (
    <>
      {summarise({ parts, providers })}
      <List
        title="Service"
        rows={parts.map(({ part, ...rest }) => ({ name: PARTS[part], ...rest }))}
        none="Nothing has been measured yet."
      />
      <List
        title="Providers"
        rows={providers.map(({ provider, ...rest }) => ({ name: provider, ...rest }))}
        none="No provider is set up yet. Providers appear here once the operator adds a key."
      />
      <p className="mt-8 max-w-[72ch] text-sm text-muted">
        Measured from real requests, as of{' '}
        <time dateTime={readAt.toISOString()}>{readAt.toISOString().slice(11, 16)} UTC</time>. Days are in
        UTC. What a client caused, such as a refused request, is not counted. A failed attempt counts against
        its provider even if a retry or another provider then served the request.
      </p>
    </>
  );
}

function summarise({ parts, providers }: Pick<ServiceStatus, 'parts' | 'providers'>) {
  const bad = parts.filter(({ state }) => state === 'failing' || state === 'degraded');
  const badProviders = providers.filter(({ state }) => state === 'failing' || state === 'degraded');
  if (bad.length > 0) {
    const names = bad.map(({ part }) => PARTS[part]).join(', ');
    const isFailing = bad.some(({ state }) => state === 'failing');
    return (
      <Summary look={isFailing ? 'danger' : 'warning'}>
        {isFailing ? 'Many requests to the service fail' : 'Some requests to the service fail'}: {names}.
      </Summary>
    );
  }
  if (badProviders.length > 0) {
    const names = badProviders.map(({ provider }) => provider).join(', ');
    return <Summary look="warning">Requests to these providers may fail: {names}.</Summary>;
  }
  const isQuiet = [...parts, ...providers].every(({ state }) => state === 'unused');
  return isQuiet ? (
    <Summary look="neutral">No requests in the last hour, so there is nothing to report.</Summary>
  ) : (
    <Summary look="positive">Everything measured in the last hour works.</Summary>
  );
}

const SUMMARIES: Record<BadgeLook, string> = {
  neutral: 'bg-sunken text-text',
  positive: 'bg-positive-soft text-positive',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger',
};

const Summary = ({ look, children }: { look: BadgeLook; children: ReactNode }) => (
  <p role="status" className={`mt-6 rounded-xl px-5 py-4 text-lg font-medium ${SUMMARIES[look]}`}>
    {children}
  </p>
);

function List({
  title,
  rows,
  none,
}: {
  title: string;
  rows: (PartStatus & { name: string })[];
  none: string;
}) {
  return (
    <section className="mt-10">
      <h2 className="text-lg font-semibold">{title}</h2>
      {rows.length === 0 && <p className="mt-2 text-muted">{none}</p>}
      <ul className="mt-3 divide-y divide-line rounded-xl border border-line">
        {rows.map(({ name, state, okShare, medianMs, days }) => (
          <li key={name} className="px-4 py-4 sm:px-5">
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <h3 className="font-medium">{name}</h3>
              <div className="flex items-center gap-3">
                <span className="text-sm text-muted tabular-nums">{describeHour(okShare, medianMs)}</span>
                <Badge look={STATES[state].look}>{STATES[state].label}</Badge>
              </div>
            </div>
            <DayBars name={name} days={days} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function describeHour(okShare: number | null, medianMs: number | null): string {
  if (okShare === null) return '';
  const share = `${writeShare(okShare)} in the last hour`;
  return medianMs === null
    ? share
    : `${share}, median ${(medianMs / 1000).toFixed(medianMs < 950 ? 2 : 1)}\u00a0s`;
}
