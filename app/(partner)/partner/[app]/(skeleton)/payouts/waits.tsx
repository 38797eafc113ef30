import { Notice } from '@/app/_ui/notice';
import { PageLink } from '@/app/_ui/page-link';
import type { PayoutOutlook, Wait } from '@/server/payments/payouts/outlook';
import { inDollars } from '../../money';
import { because, describePayout, writeMonth } from '../../payout-words';

/** Why the next payout waits, the most important reason first. */
export function Waits({ partnerId, outlook }: { partnerId: string; outlook: PayoutOutlook }) {
  if (outlook.waits.length === 0) return null;
  return (
    <ul aria-label="Why the next payout waits" className="mb-6 grid gap-3">
      {outlook.waits.map((wait) => (
        <li key={wait.what}>
          <Notice kind={wait.what === 'below_minimum' ? 'info' : 'warning'}>
            <WaitText wait={wait} outlook={outlook} partnerId={partnerId} />
          </Notice>
        </li>
      ))}
    </ul>
  );
}

type Props = { wait: Wait; outlook: PayoutOutlook; partnerId: string };

function WaitText({ wait, outlook, partnerId }: Props) {
  switch (wait.what) {
    case 'held':
      return `We paused the payouts of your team${because(wait.reason)} Contact us if you have questions.`;
    case 'account':
      return ACCOUNT_WAITS[wait.state ?? 'none'] ?? ACCOUNT_WAITS.restricted;
    case 'destination':
      return (
        <>
          Your payee details are missing.{' '}
          <a href="#payee-details" className="underline">
            Enter your payee details
          </a>
          .
        </>
      );
    case 'below_minimum':
      return describeMinimum(outlook);
    case 'ended':
      return (
        <>
          <PageLink href={`/partner/${partnerId}/payouts/${wait.payout.id}`} className="underline">
            The payout of {writeMonth(wait.payout.period)}
          </PageLink>{' '}
          did not arrive. {describePayout(wait.payout).advice}
        </>
      );
  }
}

function describeMinimum({ payable, minimum, reserve }: PayoutOutlook): string {
  if (payable < 0n)
    return `Refunds and disputes took back ${inDollars(-payable)} after it was paid out. It is offset against your next earnings.`;
  const kept = reserve > 0n ? `, of which ${inDollars(reserve)} stay in reserve for disputes` : '';
  return `${inDollars(payable)} are payable${kept}. A payout needs ${inDollars(minimum)}; what is below stays for the next one.`;
}

const ACCOUNT_WAITS: Record<string, string> = {
  none: 'Payouts need an account at Stripe. It takes a few minutes to set up.',
  onboarding: 'Your payout account is not complete: continue at Stripe.',
  restricted: 'Stripe needs more information before it accepts payouts. Continue at Stripe.',
  rejected: 'Stripe rejected your payout account. Contact us.',
  closed: 'Your payout account is closed. Set up a new one.',
};
