import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { RequestReceipt } from '@/app/_requests/request-receipt';
import { requireOperator } from '@/app/_session/session';
import { findUserByRef } from '@/server/operator/find-user';
import { findUserReceipt } from '@/server/reports/activity/user-receipt';

export const metadata: Metadata = { title: 'Receipt' };

type Props = { params: Promise<{ ref: string; request: string }> };

/** A request's receipt as its user sees it, for answering questions about it. */
export default async function UserReceiptPage({ params }: Props) {
  await requireOperator();
  const { ref, request } = await params;
  const user = await findUserByRef(ref);
  if (user === null) notFound();
  const receipt = await findUserReceipt(user.id, request);
  if (receipt === null) notFound();
  return <RequestReceipt receipt={receipt} back={{ href: `/operator/users/${ref}`, label: user.email }} />;
}
