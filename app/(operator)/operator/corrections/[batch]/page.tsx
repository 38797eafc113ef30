import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireOperator } from '@/app/_session/session';
import { CopyField } from '@/app/_ui/copy-field';
import { LogTable } from '@/app/_ui/log-table';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';
import { findBatch, type ProposedBatch, readAppSums, readBatch } from '@/server/operator/corrections';
import { listActions } from '@/server/operator/record';
import { Fact } from '../../fact';
import { toLogRow } from '../../log/to-log-row';
import { readPage } from '../../read-page';
import { inCredits, inDollars, inNumber } from '../../write-amounts';
import { BatchBadge } from '../batch-badge';
import { toAppRow, toCorrectionRow } from '../correction-rows';
import { DecideButtons } from '../decide-buttons';
import { AppTable, CorrectionTable } from './correction-tables';

export const metadata: Metadata = { title: 'Corrections' };

const PAGE_SIZE = 50;
const SHOWN_ACTIONS = 20;

type Props = {
  params: Promise<{ batch: string }>;
  searchParams: Promise<{ page?: string | string[] }>;
};

export default async function BatchPage({ params, searchParams }: Props) {
  await requireOperator();
  const batch = (await findBatch((await params).batch)) ?? notFound();
  const { page: requested } = await searchParams;
  const page = readPage(requested);
  const [apps, requests, { actions }] = await Promise.all([
    readAppSums(batch.id),
    readBatch(batch.id, { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    listActions({ subject: batch.id, limit: SHOWN_ACTIONS }),
  ]);
  const pageAt = (other: number) => `/operator/corrections/${batch.id}?page=${other}`;
  return (
    <>
      <PageHead
        back={{ href: '/operator/corrections', label: 'Corrections' }}
        title={batch.reason}
        description={<BatchBadge {...batch} />}
        actions={batch.state === 'proposed' && <DecideButtons {...toButtons(batch)} />}
      />
      <Stats>
        <Stat
          label="Refund"
          unit="credits"
          value={inCredits(batch.credits)}
          note={`worth ${inDollars(batch.credits)}`}
        />
        <Stat label="Users" value={inNumber(batch.users)} />
        <Stat label="Requests" value={inNumber(batch.requests)} note="overcharged" />
      </Stats>
      <Details batch={batch} />
      <Section title="Apps" description="Refunds in each app." flush>
        <AppTable rows={apps.map(toAppRow)} />
      </Section>
      <Section title="Requests" description="In credits." flush>
        <CorrectionTable rows={requests.map(toCorrectionRow)} />
        <Pager
          newer={page > 1 ? pageAt(page - 1) : undefined}
          older={page * PAGE_SIZE < batch.requests ? pageAt(page + 1) : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total: batch.requests })}
        />
      </Section>
      <Section title="Operator actions" flush>
        <LogTable of="operators" rows={actions.map(toLogRow)} withSubject={false} />
      </Section>
    </>
  );
}

function Details({ batch }: { batch: ProposedBatch }) {
  return (
    <Section title="Details" description="Users and apps read the reason. Dates are in UTC.">
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
        <Fact name="Compared with">{batch.basis}</Fact>
        <Fact name="Proposed">
          <Time at={batch.createdAt.toISOString()} />
        </Fact>
        {batch.decidedAt !== null && (
          <Fact name={batch.state === 'discarded' ? 'Discarded' : 'Approved'}>
            <Time at={batch.decidedAt.toISOString()} /> by {batch.decidedBy}
          </Fact>
        )}
        {batch.bookedAt !== null && (
          <Fact name="Booked">
            <Time at={batch.bookedAt.toISOString()} />
          </Fact>
        )}
      </dl>
      <p className="mt-4 mb-1.5 text-sm text-muted">Batch ID</p>
      <CopyField label="batch ID" value={batch.id} />
    </Section>
  );
}

const toButtons = ({ id, credits, requests, users }: ProposedBatch) => ({
  batchId: id,
  credits: inCredits(credits),
  requests: requests === 1 ? '1 overcharged request' : `${inNumber(requests)} overcharged requests`,
  users: countOf(users, 'user'),
});
