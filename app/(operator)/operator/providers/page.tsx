import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';
import { listProviders, type ProviderHealth } from '@/server/operator/providers';
import { inDollars, inNumber } from '../write-amounts';

export const metadata: Metadata = { title: 'Providers' };

const KINDS: Record<string, string> = {
  account: 'our key, quota or permission',
  busy: 'busy',
  model: 'model no longer known',
  reasoning: 'rejected earlier reasoning',
  request: 'rejected the request',
  unavailable: 'down or unreachable',
};

export default async function ProvidersPage() {
  await requireOperator();
  const providers = await listProviders();
  const configured = providers.filter((provider) => provider.isConfigured);
  const others = providers.filter((provider) => !provider.isConfigured);
  return (
    <>
      <PageHead
        title="Providers"
        description="Requests today (UTC). Failures in the last 24 hours, including those a retry recovered."
      />
      <Section title="Configured" flush>
        <ul>
          {configured.map((provider) => (
            <Provider key={provider.name} provider={provider} />
          ))}
        </ul>
      </Section>
      {others.length > 0 && (
        <Section
          title="No key"
          description="Their models have prices but are neither listed nor served."
          flush
        >
          <ul>
            {others.map((provider) => (
              <Provider key={provider.name} provider={provider} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Provider({ provider }: { provider: ProviderHealth }) {
  const { name, models, requests, providerCost, failures, cooldownUntil } = provider;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name} <StateOf provider={provider} />
        </p>
        {cooldownUntil && (
          <p className="mt-1 text-[13px] text-danger">
            Paused after repeated failures. Next attempt at <Time at={cooldownUntil.toISOString()} />
          </p>
        )}
        {failures.map((failure) => (
          <p key={`${failure.kind}${failure.status}`} className="mt-1 text-[13px] text-muted">
            {inNumber(failure.count)} × {KINDS[failure.kind] ?? failure.kind} ({failure.status}), last{' '}
            <Time at={failure.lastAt.toISOString()} />
          </p>
        ))}
      </div>
      <p className="text-muted tabular-nums">
        {countOf(requests, 'request')} · {inDollars(providerCost)} · {countOf(models, 'model')}
      </p>
    </li>
  );
}

function StateOf({ provider: { isConfigured, cooldownUntil, failures } }: { provider: ProviderHealth }) {
  if (!isConfigured) return <Badge>No key</Badge>;
  if (cooldownUntil) return <Badge look="danger">Paused</Badge>;
  if (failures.some(({ kind }) => kind === 'account')) return <Badge look="danger">Check key</Badge>;
  return failures.length > 0 ? (
    <Badge look="warning">Some failures</Badge>
  ) : (
    <Badge look="positive">Healthy</Badge>
  );
}
