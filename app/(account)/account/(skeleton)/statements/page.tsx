import { FileCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { type AccountStatement, listAccountStatements } from '@/server/reports/statements/account-statements';
import { readDay } from '@/server/reports/statements/day';
import { StatementTable } from './statement-table';

export const metadata: Metadata = { title: 'Statements' };

const PAGE_SIZE = 31;

type Props = { searchParams: Promise<{ before?: string | string[] }> };

/** The signed statement of each day, to download and verify. */
export default async function StatementsPage({ searchParams }: Props) {
  const [{ userId }, { before: given }] = await Promise.all([requireSession(), searchParams]);
  const before = typeof given === 'string' ? readDay(given) : null;
  const { statements, hasMore } = await listAccountStatements(userId, { limit: PAGE_SIZE, before });
  const last = statements.at(-1)?.day;
  return (
    <>
      <PageHead
        title="Statements"
        description="Each day is signed shortly after it ends. Download statements and verify them yourself: any later change to a receipt is detected. Dates are in UTC."
        actions={
          <PageLink href="/docs/verify" className={buttonClass({ look: 'secondary' })}>
            How to verify
          </PageLink>
        }
      />
      {statements.some(({ matches }) => matches === false) && (
        <div className="mb-6">
          <Notice kind="danger">
            The bookings of a day differ from its signed statement. Download that day and contact the service.
          </Notice>
        </div>
      )}
      <Section flush>
        <StatementTable
          rows={statements.map(toRow)}
          empty={
            <EmptyState
              icon={<FileCheck size={22} aria-hidden="true" />}
              title={before === null ? 'No statements yet' : 'No earlier statements'}
            >
              {before === null
                ? 'The first one appears after a day on which you bought or spent credits.'
                : 'There were no bookings before this day.'}
            </EmptyState>
          }
        />
        {(before !== null || hasMore) && (
          <nav
            aria-label="Pages"
            className="flex justify-end gap-2 border-t border-line px-5 py-3 text-sm text-muted"
          >
            {before !== null && (
              <PageLink
                href="/account/statements"
                className={buttonClass({ look: 'secondary', size: 'small' })}
              >
                Latest
              </PageLink>
            )}
            {hasMore && last !== undefined && (
              <PageLink
                href={`/account/statements?before=${last}`}
                className={buttonClass({ look: 'secondary', size: 'small' })}
              >
                Older
              </PageLink>
            )}
          </nav>
        )}
      </Section>
    </>
  );
}

const toRow = ({
  day,
  bookings = 0,
  charged,
  opening,
  closing,
  root,
  matches,
  isArchived,
}: AccountStatement) => ({
  day,
  bookings,
  charged: creditsToJson(BigInt(charged)),
  added: creditsToJson(BigInt(closing - opening + charged)),
  closing: creditsToJson(BigInt(closing)),
  root,
  matches,
  isArchived,
});
