import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { RequestReceipt } from '@/app/_requests/request-receipt';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Time } from '@/app/_ui/time';
import { findUserReceipt } from '@/server/activity/user-receipt';

export const metadata: Metadata = { title: 'Receipt' };

type Props = { params: Promise<{ request: string }> };

/** One of one's own requests. */
export default async function ReceiptPage({ params }: Props) {
  const [{ userId }, { request }] = await Promise.all([requireSession(), params]);
  const receipt = /^req_\w+$/.test(request) ? await findUserReceipt(userId, request) : null;
  if (receipt === null) notFound();
  return (
    <>
      <PageHead
        back={{ href: '/account/activity', label: 'Activity' }}
        title="Receipt"
        description={
          <>
            {receipt.model} in {receipt.appName}, <Time at={receipt.createdAt.toISOString()} />
          </>
        }
      />
      <RequestReceipt receipt={receipt} />
    </>
  );
}
