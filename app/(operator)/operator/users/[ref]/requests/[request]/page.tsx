import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { RequestReceipt } from '@/app/_requests/request-receipt';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Time } from '@/app/_ui/time';
import { findUserReceipt } from '@/server/activity/user-receipt';
import { findUserByRef } from '@/server/operator/find-user';

export const metadata: Metadata = { title: 'Receipt' };

type Props = { params: Promise<{ ref: string; request: string }> };

/** What the user sees of one request: to answer a question about it. */
export default async function UserReceiptPage({ params }: Props) {
  await requireOperator();
  const { ref, request } = await params;
  const user = await findUserByRef(ref);
  const receipt = user !== null && /^req_\w+$/.test(request) ? await findUserReceipt(user.id, request) : null;
  if (user === null || receipt === null) notFound();
  return (
    <>
      <PageHead
        back={{ href: `/operator/users/${ref}`, label: user.email }}
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
