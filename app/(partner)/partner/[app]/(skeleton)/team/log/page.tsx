import type { Metadata } from 'next';
import { PageHead } from '@/app/_ui/page-head';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { listTeamActions } from '@/server/partners/team-log';
import { type AppParams, requireApp } from '../../../require-app';
import type { Search } from '../../../search';
import { LogTable } from './log-table';
import { toLogRow } from './to-log-row';

export const metadata: Metadata = { title: 'Audit log' };

const PAGE_ROWS = 50;

type Props = AppParams & { searchParams: Promise<Search> };

export default async function TeamLogPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'view');
  const asked = Number((await searchParams).before);
  const before = Number.isInteger(asked) && asked > 0 && asked < 2 ** 31 ? asked : undefined;
  const { actions, hasMore } = await listTeamActions(app.teamId, { before, limit: PAGE_ROWS });
  const last = actions.at(-1)?.id;
  const path = `/partner/${app.id}/team/log`;
  return (
    <>
      <PageHead
        back={{ href: `/partner/${app.id}/team`, label: 'Team' }}
        title="Audit log"
        description="What members of the team and the operator changed, in all of its apps. Entries are never changed or deleted."
      />
      <Section flush>
        <LogTable rows={actions.map(toLogRow)} />
        <Pager
          newer={before === undefined ? undefined : path}
          older={hasMore && last !== undefined ? `${path}?before=${last}` : undefined}
          position={actions.length === 1 ? '1 change' : `${actions.length} changes`}
        />
      </Section>
    </>
  );
}
