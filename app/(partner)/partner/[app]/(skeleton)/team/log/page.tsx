import type { Metadata } from 'next';
import { describeChange } from '@/app/_ui/describe-change';
import { LOG_ROWS, LogPage, readBefore } from '@/app/_ui/log-page';
import type { LogRow } from '@/app/_ui/log-table';
import { describeAction, type LoggedAction, listTeamActions } from '@/server/partners/audit-log';
import { type AppParams, requireApp } from '../../../require-app';
import type { Search } from '../../../search';

export const metadata: Metadata = { title: 'Audit log' };

type Props = AppParams & { searchParams: Promise<Search> };

export default async function TeamLogPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const before = readBefore(await searchParams);
  const { actions, hasMore } = await listTeamActions(app.teamId, { before, limit: LOG_ROWS });
  return (
    <LogPage
      of="team"
      path={`/partner/${app.id}/team/log`}
      description="What members of the team and the operator changed, in all of its apps. Entries are never changed or deleted."
      back={{ href: `/partner/${app.id}/team`, label: 'Team' }}
      before={before}
      rows={actions.map(toLogRow)}
      hasMore={hasMore}
    />
  );
}

const toLogRow = ({ before, after, appName, subject, ...entry }: LoggedAction): LogRow => ({
  id: entry.id,
  at: entry.at.toISOString(),
  actor: entry.actor,
  what: describeAction(entry),
  subject: [appName, subject].filter((name) => name !== null).join(' · '),
  reason: null,
  change: describeChange(before, after),
});
