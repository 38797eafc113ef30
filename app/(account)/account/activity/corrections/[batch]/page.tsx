import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { creditsToJson } from '@/server/base/credits';
import {
  type CorrectedRequest,
  findUserCorrection,
  readCorrectedRequests,
} from '@/server/reports/activity/user-corrections';
import { inCredits } from '../../../show-credits';
import { type CorrectedRow, CorrectedTable } from './corrected-table';

export const metadata: Metadata = { title: 'Correction' };

const PAGE_SIZE = 50;

type Props = {
  params: Promise<{ batch: string }>;
  searchParams: Promise<{ page?: string | string[] }>;
};

/** What the user got back of several requests for one reason. */
export default async function CorrectionPage({ params, searchParams }: Props) {
  const [{ userId }, { batch }, { page: requested }] = await Promise.all([
    requireSession(),
    params,
    searchParams,
  ]);
  const correction = (await findUserCorrection(userId, batch)) ?? notFound();
  const page = typeof requested === 'string' && /^[1-9]\d{0,5}$/.test(requested) ? Number(requested) : 1;
  const requests = await readCorrectedRequests(userId, batch, {
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  });
  const pageAt = (other: number) => `/account/activity/corrections/${batch}?page=${other}`;
  return (
    <>
      <PageHead
        back={{ href: '/account/activity', label: 'Activity' }}
        title={`Refund of ${inCredits(correction.credits)}`}
        description={
          <>
            <Time at={correction.bookedAt.toISOString()} withClock={false} /> · {correction.reason}
          </>
        }
      />
      <Section
        title="Requests"
        description="These requests were overcharged. The credits were returned to where they were spent from. Used allowances are not restored."
        flush
      >
        <CorrectedTable rows={requests.map(toRow)} />
        <Pager
          newer={page > 1 ? pageAt(page - 1) : undefined}
          older={page * PAGE_SIZE < correction.requests ? pageAt(page + 1) : undefined}
          position={positionOf({ page, rows: PAGE_SIZE, total: correction.requests })}
        />
      </Section>
    </>
  );
}

const toRow = ({ requestId, at, model, appName, charged, credits }: CorrectedRequest): CorrectedRow => ({
  requestId,
  at: at.toISOString(),
  model,
  appName,
  charged: creditsToJson(charged),
  credits: creditsToJson(credits),
});
