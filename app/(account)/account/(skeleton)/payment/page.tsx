import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { AutoTopUp } from './auto-top-up';
import { Cards } from './cards';
import { LowBalance } from './low-balance';

export const metadata: Metadata = { title: 'Payment' };

type Props = { searchParams: Promise<{ card?: string | string[] }> };

/** How the user pays for credits. */
export default async function PaymentPage({ searchParams }: Props) {
  const [{ userId, email }, { card }] = await Promise.all([requireSession(), searchParams]);
  return (
    <>
      <PageHead title="Payment" description="How you pay for credits, here and in apps." />
      {card === 'added' && (
        <div className="mb-6">
          <Notice kind="positive">Card saved. You can buy with it in one click.</Notice>
        </div>
      )}
      {card === 'cancelled' && (
        <div className="mb-6">
          <Notice>No card was added.</Notice>
        </div>
      )}
      <Cards userId={userId} />
      <AutoTopUp userId={userId} />
      <LowBalance userId={userId} email={email} />
    </>
  );
}
