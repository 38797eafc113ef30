import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { Attempts } from '@/app/_requests/attempts';
import { TokenLines } from '@/app/_requests/token-lines';
import { alignDecimals } from '@/app/_ui/amount';
import { Badge } from '@/app/_ui/badge';
import { CopyField } from '@/app/_ui/copy-field';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { formatCredits } from '@/server/base/credits';
import { formatPercent } from '@/server/partners/rate';
import { type AppRequestDetails, findAppRequest } from '@/server/reports/activity/app-request';
import { ERROR_WORDS } from '../../(skeleton)/errors/error-words';
import { requireApp } from '../../require-app';

export const metadata: Metadata = { title: 'Request' };

type Props = { params: Promise<{ app: string; request: string }> };
type Charged = Extract<AppRequestDetails, { kind: 'charged' }>;

/** One request of the app: what a partner needs to answer the user who quotes its id. */
export default async function RequestPage({ params }: Props) {
  const app = await requireApp({ params }, 'view');
  const request = (await findAppRequest(app.id, (await params).request)) ?? notFound();
  const path = `/partner/${app.id}/requests`;
  return (
    <>
      <PageHead back={{ href: path, label: 'Requests' }} title="Request" />
      <Section title="Details">
        <dl className="mb-5 grid gap-x-6 gap-y-3 text-sm sm:grid-cols-[max-content_1fr]">
          <Facts request={request} requestsPath={path} />
        </dl>
        <CopyField label="request ID" value={request.requestId} />
      </Section>
      {request.kind === 'charged' && <Charge request={request} />}
      {request.kind === 'unanswered' && <Attempts attempts={request.attempts} paid={null} />}
    </>
  );
}

function Facts({ request, requestsPath }: { request: AppRequestDetails; requestsPath: string }) {
  if (request.kind === 'refused')
    return (
      <>
        <Fact name="Status">
          <Badge look="warning">{ERROR_WORDS[request.code]?.status ?? 'Refused'}</Badge>{' '}
          <code className="font-mono text-[13px]">{request.code}</code>
        </Fact>
        <Fact name="Meaning">{ERROR_WORDS[request.code]?.advice}</Fact>
        <Fact name="Time">
          In the hour from <Time at={request.hour.toISOString()} />
        </Fact>
      </>
    );
  return (
    <>
      <Fact name="Status">
        <Status request={request} />
      </Fact>
      <Fact name="Time">
        <Time at={request.createdAt.toISOString()} />
      </Fact>
      <Fact name="User">
        <PageLink
          href={`${requestsPath}?period=12m&user=${request.appUserId}`}
          className={`font-mono text-[13px] break-all ${ROW_LINK}`}
        >
          {request.appUserId}
        </PageLink>
      </Fact>
      <Fact name="Model">{request.model}</Fact>
      {request.kind === 'charged' && <Fact name="Provider">{request.provider}</Fact>}
    </>
  );
}

const OUTCOMES: Record<Charged['outcome'], { label: string; note?: string }> = {
  completed: { label: 'Completed' },
  aborted: {
    label: 'Stopped early',
    note: 'The client disconnected. What was produced until then is charged.',
  },
  failed: { label: 'Failed', note: 'The response was cut off. What was produced until then is charged.' },
  refused: { label: 'Refused', note: 'The provider refused the content, and charges a fee for that.' },
};

function Status({ request }: { request: Exclude<AppRequestDetails, { kind: 'refused' }> }) {
  if (request.kind === 'unanswered')
    return (
      <>
        <Badge look="danger">No response</Badge> No provider responded. Your app got an error, and the user
        was not charged.
      </>
    );
  const { label, note } = OUTCOMES[request.outcome];
  return (
    <>
      <Badge look={request.outcome === 'completed' ? 'positive' : 'warning'}>{label}</Badge>{' '}
      {request.estimated && <Badge>Estimated</Badge>} {note}
    </>
  );
}

function Charge({ request }: { request: Charged }) {
  const { providerCost, partnerShare, charge, rateBp, attempts } = request;
  const [cost, share, paid] = alignDecimals([providerCost, partnerShare, charge].map(formatCredits));
  return (
    <>
      <Section title="Tokens" flush>
        <TokenLines lines={request.lines} reasoningTokens={request.reasoningTokens} />
      </Section>
      <Section title="Credits">
        <dl className="flex flex-col gap-2.5 text-sm">
          <Sum name="Provider cost">{cost}</Sum>
          <Sum name={`Your commission, ${formatPercent(rateBp)}%`}>{share}</Sum>
          <Sum name="The user paid">{paid}</Sum>
          {request.corrections.map(({ transactionId, bookedAt, credits }) => (
            <Sum key={transactionId} name="Refunded as a correction">
              −{formatCredits(credits)} on <Time at={bookedAt.toISOString()} withClock={false} />
            </Sum>
          ))}
        </dl>
      </Section>
      {attempts && <Attempts attempts={attempts} paid={request.provider} />}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Sum({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-6">
      <dt className="text-muted">{name}</dt>
      <dd className="text-right tabular-nums">{children}</dd>
    </div>
  );
}
