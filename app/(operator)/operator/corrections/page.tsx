import { Undo2 } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { listBatches, type ProposedBatch } from '@/server/operator/corrections';
import { readPage } from '../read-page';
import { inCredits, inNumber } from '../write-amounts';
import { type BatchRow, BatchTable } from './batch-table';

export const metadata: Metadata = { title: 'Corrections' };

const PAGE_SIZE = 50;

type Props = { searchParams: Promise<{ page?: string | string[] }> };

export default async function CorrectionsPage({ searchParams }: Props) {
  await requireOperator();
  const { page: requested } = await searchParams;
  const page = readPage(requested);
  const { batches, total } = await listBatches({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE });
  const pageAt = (other: number) => `/operator/corrections?page=${other}`;
  return (
    <>
      <PageHead
        title="Corrections"
        description="Refunds for requests that were overcharged. Nothing is booked before an operator approves it."
        actions={
          <PageLink href="/operator/corrections/new" className={buttonClass()}>
            Propose corrections
          </PageLink>
        }
      />
      <Section flush>
        {total === 0 ? (
          <EmptyState icon={<Undo2 size={20} aria-hidden="true" />} title="No corrections yet">
            Proposals for requests that were overcharged appear here.
          </EmptyState>
        ) : (
          <BatchTable rows={batches.map(toRow)} />
        )}
        <Pager
          newer={page > 1 ? pageAt(page - 1) : undefined}
          older={page * PAGE_SIZE < total ? pageAt(page + 1) : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total })}
        />
      </Section>
    </>
  );
}

const toRow = ({
  id,
  state,
  reason,
  basis,
  createdAt,
  requests,
  users,
  credits,
}: ProposedBatch): BatchRow => ({
  id,
  state,
  reason,
  basis,
  at: createdAt.toISOString(),
  requests: inNumber(requests),
  users: inNumber(users),
  credits: inCredits(credits),
});
