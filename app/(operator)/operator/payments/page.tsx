import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { listPaymentsNeedingAttention, type PaymentAlert } from '@/server/checkout/alerts';
import { findBuyerRefs } from '@/server/operator/find-user';
import { inMoney } from '../write-amounts';
import { DismissButton } from './dismiss-button';

export const metadata: Metadata = { title: 'Payments' };

const KINDS: Record<PaymentAlert['kind'], [title: string, what: string]> = {
  dispute: ['Dispute', 'The bank took the money back. Respond at the payment processor before the due date.'],
  early_fraud_warning: ['Fraud warning', 'The bank suspects fraud. Refunding now avoids a dispute.'],
  refund_failed: ['Refund failed', 'The refund was returned to us. Refund the buyer in another way.'],
  wrong_payment: ['Payment mismatch', 'The payment does not match the order. No credits were added.'],
  stuck: [
    'Stuck',
    'Open for too long. It closes automatically once the payment processor reports the outcome.',
  ],
};

export default async function PaymentsPage() {
  await requireOperator();
  const alerts = await listPaymentsNeedingAttention();
  const buyers = await findBuyerRefs(alerts.map(({ checkoutSessionId }) => checkoutSessionId));
  return (
    <>
      <PageHead title="Payments that need attention" description="Sorted by due date." />
      <Section flush>
        {alerts.length === 0 ? (
          <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="No payments need attention">
            Disputes, fraud warnings, failed refunds, mismatches and stuck payments appear here.
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
  const [title, what] = KINDS[alert.kind];
  const amount = inMoney(alert.amountMinor, alert.currency);
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 border-b border-line/70 p-5 last:border-0">
      <div className="min-w-0 flex-1 basis-64 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <Badge look={alert.kind === 'dispute' ? 'danger' : 'warning'}>{title}</Badge>
          <span className="font-medium tabular-nums">{amount}</span>
          <span className="text-muted">in {alert.appName}</span>
        </p>
        <p className="mt-2">{what}</p>
        <p className="mt-1 break-words text-muted">
          {alert.detail.replaceAll('_', ' ')} · <Time at={alert.at.toISOString()} />
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
        {alert.kind !== 'stuck' && <DismissButton alertId={alert.id} describe={`${title}, ${amount}`} />}
      </div>
    </li>
  );
}
