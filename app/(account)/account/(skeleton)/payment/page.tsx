import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { AutoTopUp } from './auto-top-up';
import { LowBalance } from './low-balance';

export const metadata: Metadata = { title: 'Payment' };

/** How the user pays for credits. */
export default async function PaymentPage() {
  const { userId, email } = await requireSession();
  return (
    <>
      <PageHead title="Payment" description="How you pay for credits, here and in apps." />
      <AutoTopUp userId={userId} />
      <LowBalance userId={userId} email={email} />
    </>
  );
}
