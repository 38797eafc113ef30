import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { RequestReceipt } from '@/app/_requests/request-receipt';
import { requireSession } from '@/app/_session/session';
import { findUserReceipt } from '@/server/reports/activity/user-receipt';
import { findReceiptProof } from '@/server/reports/statements/read-statements';
import { ReceiptProof } from './receipt-proof';

export const metadata: Metadata = { title: 'Receipt' };

type Props = { params: Promise<{ request: string }> };

/** The receipt of one of the user's own requests. */
export default async function ReceiptPage({ params }: Props) {
  const [{ userId }, { request }] = await Promise.all([requireSession(), params]);
  const receipt = await findUserReceipt(userId, request);
  if (receipt === null) notFound();
  const proof = await findReceiptProof(userId, request);
  return (
    <>
      <RequestReceipt receipt={receipt} back={{ href: '/account/activity', label: 'Activity' }} />
      {proof && (
        <ReceiptProof
          proof={proof}
          day={receipt.createdAt.toISOString().slice(0, 10)}
          shown={{ requestId: receipt.requestId, charge: String(receipt.charge) }}
        />
      )}
    </>
  );
}
