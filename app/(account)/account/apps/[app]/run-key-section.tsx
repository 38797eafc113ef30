import { redirect } from 'next/navigation';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { listRunKeys, type RunKeyOfUser } from '@/server/people/keys/run-keys-of-user';
import { type RunKeyRow, RunKeyTable } from './run-key-table';

const PAGE_SIZE = 50;

type Props = {
  userId: string;
  partnerId: string;
  appName: string;
  /** A run key whose branch comes first: the address in a 402 leads to it. */
  first: string | null;
  page: number;
};

/** The live run keys of the app, and what each has left. Nothing without any. */
export async function RunKeySection({ userId, partnerId, appName, first, page }: Props) {
  const { keys, total } = await listRunKeys(
    { userId, partnerId },
    { first, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE },
  );
  const pageAt = (other: number) =>
    `/account/apps/${partnerId}?${first === null ? '' : `key=${first}&`}page=${other}`;
  // The last key of the last page has ended.
  if (total === 0 && page > 1) redirect(pageAt(1));
  if (total === 0) return null;
  return (
    <Section
      title="Run keys"
      description={`Keys for single tasks, minted with a key of ${appName}. Each has a budget and ends by itself; what the keys below it spend counts too.`}
      flush
    >
      <RunKeyTable appName={appName} rows={keys.map(toRow)} />
      <Pager
        newer={page > 1 ? pageAt(page - 1) : undefined}
        older={page * PAGE_SIZE < total ? pageAt(page + 1) : undefined}
        position={positionOf({ page, rows: PAGE_SIZE, total })}
      />
    </Section>
  );
}

const toRow = ({ credits, spent, left, expiresAt, ...key }: RunKeyOfUser): RunKeyRow => ({
  ...key,
  credits: creditsToJson(credits),
  spent: creditsToJson(spent),
  left: creditsToJson(left > 0n ? left : 0n),
  expiresAt: expiresAt.toISOString(),
});
