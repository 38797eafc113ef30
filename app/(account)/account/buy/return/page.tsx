import { Check, Clock, X } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { requireSession } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import { describeUse } from '@/app/checkout/[visit]/describe-limit';
import { ENGLISH } from '@/app/checkout/english';
import { writeLimitedBy } from '@/server/payments/checkout/limited-by';
import { findOwnPayment } from '@/server/payments/checkout/own-payments';
import { textOf } from '@/texts/say';
import { PaymentOutcome } from '../../payment-outcome';
import { inCredits } from '../../show-credits';
import { PollPayment } from './poll-payment';

export const metadata: Metadata = { title: 'Your payment' };

type Props = { searchParams: Promise<{ session_id?: string; status?: string }> };

/** Where the payment processor sends the buyer back: shows the payment's status. */
export default async function ReturnPage({ searchParams }: Props) {
  const [{ userId }, { session_id: id, status: reported }] = await Promise.all([
    requireSession(),
    searchParams,
  ]);
  const payment = typeof id === 'string' && /^cks_\w+$/.test(id) ? await findOwnPayment(userId, id) : null;
  if (payment === null) notFound();
  const { appName, partnerId } = payment;
  const say = ENGLISH.say;
  if (payment.status === 'completed') {
    return (
      <PaymentOutcome
        icon={<Check size={22} aria-hidden="true" />}
        title={`${inCredits(payment.creditsAdded)} added`}
      >
        {appName === null
          ? 'They are not tied to an app. Give an app an allowance to let it spend them.'
          : describeUse(
              { can_spend: payment.canSpend, limited_by: writeLimitedBy(payment.limitedBy) },
              { say, language: 'en', app: appName },
            )}
        {appName !== null && payment.canSpend && ' Return to it and try again.'}
        <Links>
          {appName === null && (
            <PageLink href="/account/apps" className={buttonClass()}>
              Choose an app
            </PageLink>
          )}
          {payment.limitedBy !== null && payment.limitedBy.path !== null && (
            <PageLink href={payment.limitedBy.path} className={buttonClass()}>
              {appName === null ? say.changeLimits : 'Show limits'}
            </PageLink>
          )}
          <PageLink href="/account" className={buttonClass({ look: 'secondary' })}>
            Overview
          </PageLink>
        </Links>
      </PaymentOutcome>
    );
  }
  const isCancelled = payment.status === 'open' && reported === 'cancelled';
  const reason = textOf(say.failures, payment.failure ?? undefined);
  if (isCancelled || payment.status === 'failed' || payment.status === 'expired') {
    return (
      <PaymentOutcome
        icon={<X size={22} aria-hidden="true" />}
        title={isCancelled ? 'Payment not completed' : 'Payment failed'}
      >
        {isCancelled ? 'You were not charged.' : `${reason ?? ''} ${say.failedText}`}
        <Links>
          <PageLink
            href={appName === null ? '/account/buy' : `/account/buy?app=${partnerId}`}
            className={buttonClass()}
          >
            Try again
          </PageLink>
        </Links>
      </PaymentOutcome>
    );
  }
  // Paid a moment ago, or still pending at the bank.
  return (
    <PaymentOutcome icon={<Clock size={22} aria-hidden="true" />} title="Confirming your payment">
      <PollPayment />
    </PaymentOutcome>
  );
}

const Links = ({ children }: { children: ReactNode }) => (
  <span className="mt-5 flex flex-wrap justify-center gap-2">{children}</span>
);
