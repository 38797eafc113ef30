import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { LOG_ROWS, LogPage, readBefore } from '@/app/_ui/log-page';
import { listActions } from '@/server/operator/record';
import { toLogRow } from './to-log-row';

export const metadata: Metadata = { title: 'Audit log' };

type Props = { searchParams: Promise<{ before?: string }> };

export default async function OperatorLogPage({ searchParams }: Props) {
  await requireOperator();
  const before = readBefore(await searchParams);
  const { actions, hasMore } = await listActions({ before, limit: LOG_ROWS });
  return (
    <LogPage
      of="operators"
      path="/operator/log"
      description="Every operator action, in the dashboard and on the command line. Entries are never changed or deleted."
      before={before}
      rows={actions.map(toLogRow)}
      hasMore={hasMore}
    />
  );
}
