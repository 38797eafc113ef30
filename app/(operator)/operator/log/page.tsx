import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { listActions } from '@/server/operator/record';
import { LogTable } from './log-table';
import { toLogRow } from './to-log-row';

export const metadata: Metadata = { title: 'Audit log' };

const PAGE_SIZE = 50;

type Props = { searchParams: Promise<{ before?: string }> };

export default async function LogPage({ searchParams }: Props) {
  await requireOperator();
  const requested = Number((await searchParams).before);
  const before = Number.isInteger(requested) && requested > 0 && requested < 2 ** 31 ? requested : undefined;
  const { actions, hasMore } = await listActions({ before, limit: PAGE_SIZE });
  const last = actions.at(-1)?.id;
  return (
    <>
      <PageHead
        title="Audit log"
        description="Every operator action, in the dashboard and on the command line. Entries are never changed or deleted."
      />
      <Section flush>
        <LogTable rows={actions.map(toLogRow)} />
        <Pager
          newer={before === undefined ? undefined : '/operator/log'}
          older={hasMore && last !== undefined ? `/operator/log?before=${last}` : undefined}
          position={`${actions.length} actions`}
        />
      </Section>
    </>
  );
}
