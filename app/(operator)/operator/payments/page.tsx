import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { findBuyerRefs } from '@/server/operator/find-user';
import { listPaymentsNeedingAttention, type PaymentAlert } from '@/server/payments/checkout/alerts';
import { inMoney } from '../write-amounts';
import { CreditButton, DismissButton } from './alert-buttons';

export const metadata: Metadata = { title: 'Payments' };

const KINDS: Record<PaymentAlert['kind'], [title: string, what: string]> = {
  dispute: ['Dispute', 'The bank took the money back. Respond at the payment processor before the due date.'],
  early_fraud_warning: ['Fraud warning', 'The bank suspects fraud. Refunding now avoids a dispute.'],
  refund_failed: ['Refund failed', 'The refund was returned to us. Refund the buyer in another way.'],
  wrong_payment: ['Payment mismatch', 'The payment does not match the order. No credits were added.'],
  uncredited_payment: [
    'Not credited',
    'The payment arrived after its checkout session ended, or after a restore lost it. Credit it, or refund it at the payment processor.',
  ],
  account_not_ready: [
    'Payments unavailable',
    'Stripe refuses every payment, because its account is not set up for a setting of yours. This was the first payment refused.',
  ],
  stuck: [
    'Stuck',
    'Open for too long. It closes automatically once the payment processor reports the outcome.',
  ],
};

const INQUIRY: [title: string, what: string] = [
  'Inquiry',
  'The bank asks about the payment; no money was taken. A full refund settles it. Otherwise respond at the payment processor before the due date.',
];
const LOST: [title: string, what: string] = [
  'Dispute lost',
  'The bank took the money back for good, and the credits were removed.',
];

function describeKind({ kind, takesMoney, detail }: PaymentAlert): [title: string, what: string] {
  if (kind !== 'dispute') return KINDS[kind];
  if (!takesMoney) return INQUIRY;
  return detail.endsWith('lost') ? LOST : KINDS.dispute;
}

export default async function PaymentsPage() {
  await requireOperator();
  const alerts = await listPaymentsNeedingAttention();
  const buyers = await findBuyerRefs(alerts.map(({ checkoutSessionId }) => checkoutSessionId));
  return (
    <>
      <PageHead
        title="Payments that need attention"
        description="Sorted by due date."
        actions={
          <PageLink
            href="/operator/payments/setup"
            className="inline-flex h-11 items-center rounded-lg border border-line px-3 text-sm font-medium hover:bg-sunken sm:h-9"
          >
            Stripe set-up
          </PageLink>
        }
      />
      <Section flush>
        {alerts.length === 0 ? (
          <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="No payments need attention">
            Disputes, fraud warnings, failed refunds, mismatches, refused and stuck payments appear here.
          </EmptyState>
        ) : (
          <ul>
            {alerts.map((alert) => (
              <AlertItem key={alert.id} alert={alert} buyer={buyers.get(alert.checkoutSessionId)} />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function AlertItem({ alert, buyer }: { alert: PaymentAlert; buyer: string | undefined }) {
  const [title, what] = describeKind(alert);
  const amount = inMoney(alert.amountMinor, alert.currency);
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 border-b border-line/70 p-5 last:border-0">
      <div className="min-w-0 flex-1 basis-64 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Badge look={alert.takesMoney ? 'danger' : 'warning'}>{title}</Badge>
          <span className="font-medium tabular-nums">{amount}</span>
          {alert.appName !== '' && <span className="text-muted">in {alert.appName}</span>}
        </p>
        <p className="mt-2">{what}</p>
        <p className="mt-1 break-words text-muted">
          {alert.kind === 'account_not_ready' ? alert.detail : alert.detail.replaceAll('_', ' ')} ·{' '}
          <Time at={alert.at.toISOString()} />
          {alert.dueAt && (
            <>
              {' · due '}
              <Time at={alert.dueAt.toISOString()} />
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        {buyer && (
          <PageLink
            href={`/operator/users/${buyer}`}
            className="inline-flex h-11 items-center rounded-lg border border-line px-3 text-sm font-medium hover:bg-sunken sm:h-8"
          >
            Buyer
          </PageLink>
        )}
        {alert.kind === 'uncredited_payment' && (
          <CreditButton alertId={alert.id} describe={`${title}, ${amount}`} />
        )}
        {alert.kind !== 'stuck' && <DismissButton alertId={alert.id} describe={`${title}, ${amount}`} />}
      </div>
    </li>
  );
}
