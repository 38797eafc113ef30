import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { OUTSIDE_ANY_APP } from '@/server/ledger';
import { findBuyerRefs, findUserByRef } from '@/server/operator/find-user';
import {
  type ListedPayment,
  listPayments,
  PAYMENT_STATES,
  type PaymentState,
} from '@/server/operator/list-payments';
import { listPartners } from '@/server/partners/partner';
import { listPaymentsNeedingAttention, type PaymentAlert } from '@/server/payments/checkout/alerts';
import { readPage } from '../read-page';
import { inMoney } from '../write-amounts';
import { CreditButton, DismissButton } from './alert-buttons';
import { type Filters, PaymentFilters } from './payment-filters';
import { type PaymentRow, PaymentTable } from './payment-table';

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

const STATE_NAMES: Record<PaymentState, string> = {
  paid: 'Paid',
  reversed: 'Refunded or disputed',
  open: 'Open',
  failed: 'Failed',
  expired: 'Expired',
};

const PAGE_SIZE = 50;
/** The value of the app filter for purchases in the account. */
const NO_APP = 'none';

type Asked = Partial<Record<keyof Filters | 'page', string | string[]>>;
type Props = { searchParams: Promise<Asked> };

export default async function PaymentsPage({ searchParams }: Props) {
  await requireOperator();
  const asked = await searchParams;
  const filters = readFilters(asked);
  const [alerts, apps, user] = await Promise.all([
    listPaymentsNeedingAttention(),
    listPartners(),
    filters.user === '' ? null : findUserByRef(filters.user),
  ]);
  if (filters.user !== '' && user === null) notFound();
  const buyers = await findBuyerRefs(alerts.map(({ checkoutSessionId }) => checkoutSessionId));
  return (
    <>
      <PageHead
        title="Payments"
        description="What needs attention, by due date, and all payments. Dates are in UTC."
        actions={
          <PageLink
            href="/operator/payments/setup"
            className="inline-flex h-11 items-center rounded-lg border border-line px-3 text-sm font-medium hover:bg-sunken sm:h-9"
          >
            Stripe set-up
          </PageLink>
        }
      />
      <Section title="Needs attention" flush>
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
      <Section id="all" title="All payments" flush>
        <PaymentFilters
          key={JSON.stringify(filters)}
          filters={filters}
          email={user?.email ?? null}
          states={[{ value: '', label: 'All states' }, ...optionsOf(STATE_NAMES)]}
          apps={[
            { value: '', label: 'All apps' },
            { value: NO_APP, label: 'Outside any app' },
            ...apps.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <PaymentList filters={filters} userId={user?.id} page={readPage(asked.page)} />
      </Section>
    </>
  );
}

/** Anything that is not a filter counts as none. */
function readFilters(asked: Asked): Filters {
  const read = (name: keyof Filters, isValid: (text: string) => boolean): string => {
    const text = asked[name];
    return typeof text === 'string' && isValid(text) ? text : '';
  };
  const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  return {
    state: read('state', (text) => text in STATE_NAMES),
    app: read('app', (text) => text.length <= 100),
    user: read('user', (text) => text.length <= 500),
    from: read('from', isDay),
    to: read('to', isDay),
  };
}

const optionsOf = (names: Record<string, string>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

type ListProps = { filters: Filters; userId: string | undefined; page: number };

async function PaymentList({ filters, userId, page }: ListProps) {
  const offset = (page - 1) * PAGE_SIZE;
  const { app, from, to } = filters;
  const { payments, hasMore } = await listPayments(
    {
      state: PAYMENT_STATES.find((state) => state === filters.state),
      userId,
      partnerId: app === NO_APP ? OUTSIDE_ANY_APP : app || undefined,
      from: from || undefined,
      to: to || undefined,
    },
    { limit: PAGE_SIZE, offset },
  );
  const pageAt = (other: number) =>
    `/operator/payments?${new URLSearchParams({ ...filters, page: String(other) })}#all`;
  return (
    <>
      <PaymentTable
        rows={payments.map(toRow)}
        isFiltered={Object.values(filters).some((value) => value !== '')}
      />
      <Pager
        newer={page > 1 ? pageAt(page - 1) : undefined}
        older={hasMore ? pageAt(page + 1) : undefined}
        position={`${offset + 1}–${offset + payments.length}`}
      />
    </>
  );
}

const toRow = (payment: ListedPayment): PaymentRow => ({
  id: payment.purchaseId ?? payment.checkoutSessionId,
  at: payment.at.toISOString(),
  userHref: `/operator/users/${payment.userRef}`,
  email: payment.email ?? 'Deleted account',
  appName: payment.appName ?? 'Outside any app',
  method: payment.method,
  state: payment.state,
  amount: inMoney(payment.amountMinor, payment.currency),
  reversed: payment.reversedMinor === 0 ? '' : inMoney(payment.reversedMinor, payment.currency),
});

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
