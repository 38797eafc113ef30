import { Check, Clock, Landmark, X } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireSession } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import { Time } from '@/app/_ui/time';
import { findTopUpConfirmation } from '@/server/payments/checkout/top-up/confirm';
import { formatMinor } from '@/server/payments/checkout/top-up/terms';
import { PollPayment } from '../../../buy/return/poll-payment';
import { PaymentOutcome } from '../../../payment-outcome';
import { inCredits } from '../../../show-credits';
import { ConfirmPayment } from './confirm-payment';

export const metadata: Metadata = { title: 'Confirm your top-up' };

type Props = { params: Promise<{ id: string }>; searchParams: Promise<{ back?: string | string[] }> };

const ICON = { size: 22, 'aria-hidden': true } as const;

/** Leads the buyer to the bank for an auto top-up that needs them, and shows how it ended. */
export default async function ConfirmPage({ params, searchParams }: Props) {
  const [{ userId }, { id }, { back }] = await Promise.all([requireSession(), params, searchParams]);
  const topUp = await findTopUpConfirmation(userId, id);
  if (topUp === null) notFound();
  const amount = formatMinor(topUp.amountMinor, topUp.currency);
  switch (topUp.state) {
    case 'paid':
      return (
        <PaymentOutcome icon={<Check {...ICON} />} title={`${inCredits(topUp.credits)} added`}>
          The payment of {amount} is complete. Auto top-up stays on.
          <Back label="Payment" />
        </PaymentOutcome>
      );
    case 'processing':
      return (
        <PaymentOutcome icon={<Clock {...ICON} />} title="Confirming your payment">
          <PollPayment />
        </PaymentOutcome>
      );
    case 'ended':
      return (
        <PaymentOutcome icon={<X {...ICON} />} title="This payment was cancelled">
          You were not charged {amount}. You can turn auto top-up on again at any time.
          <Back label="Review auto top-up" />
        </PaymentOutcome>
      );
    case 'waiting':
      return (
        <PaymentOutcome icon={<Landmark {...ICON} />} title={`Confirm your top-up of ${amount}`}>
          {back === 'bank' && (
            <span className="mb-4 block text-left">
              <Notice kind="warning">
                Your bank did not confirm the payment. You were not charged. Try again.
              </Notice>
            </span>
          )}
          Your bank wants you to confirm this payment{topUp.card && ` with your ${topUp.card}`}. It adds{' '}
          {inCredits(topUp.credits)}. Confirm it by <Time at={topUp.until.toISOString()} />, or it is
          cancelled and auto top-up is turned off.
          <span className="mt-5 block">
            <ConfirmPayment sessionId={id} />
          </span>
        </PaymentOutcome>
      );
  }
}

const Back = ({ label }: { label: string }) => (
  <span className="mt-5 flex justify-center">
    <PageLink href="/account/payment" className={buttonClass()}>
      {label}
    </PageLink>
  </span>
);
