import { type LogRow, LogTable } from './log-table';
import { PageHead } from './page-head';
import { Pager } from './pager';
import { Section } from './section';

export const LOG_ROWS = 50;

/** The id of the last entry on the previous page, as the URL has it. */
export function readBefore({ before }: { before?: string | string[] | undefined }): number | undefined {
  const id = Number(before);
  return Number.isInteger(id) && id > 0 && id < 2 ** 31 ? id : undefined;
}

type Props = {
  of: 'operators' | 'team';
  path: string;
  description: string;
  back?: { href: string; label: string };
  before: number | undefined;
  rows: LogRow[];
  hasMore: boolean;
};

/** A page of an audit log. */
export function LogPage({ of, path, description, back, before, rows, hasMore }: Props) {
  const last = rows.at(-1)?.id;
  const noun = of === 'team' ? 'change' : 'action';
  return (
    <>
      <PageHead {...(back && { back })} title="Audit log" description={description} />
      <Section flush>
        <LogTable of={of} rows={rows} />
        <Pager
          newer={before === undefined ? undefined : path}
          older={hasMore && last !== undefined ? `${path}?before=${last}` : undefined}
          position={`${rows.length} ${noun}${rows.length === 1 ? '' : 's'}`}
        />
      </Section>
    </>
  );
}
