import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import { requireOperator } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { CopyField } from '@/app/_ui/copy-field';
import { LogTable } from '@/app/_ui/log-table';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { listActions } from '@/server/operator/record';
import { findPayoutFacts, type PayoutFacts } from '@/server/payments/payouts/operator-list';
import { writePaid } from '@/server/payments/payouts/statement';
import { Fact } from '../../fact';
import { toLogRow } from '../../log/to-log-row';
import { inDollars } from '../../write-amounts';
import { ATTENTION, toButtons } from '../describe-payout';
import { Destination } from '../destination';
import { LineTable } from '../line-table';
import { PayoutBadge } from '../payout-badge';
import { PayoutButtons } from '../payout-buttons';

const SHOWN_ACTIONS = 20;

type Props = { params: Promise<{ payout: string }> };

const requirePayout = cache(async ({ params }: Props): Promise<PayoutFacts> => {
  await requireOperator();
  return (await findPayoutFacts((await params).payout)) ?? notFound();
});

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { teamName, period } = await requirePayout(props);
  return { title: `${teamName}, ${period}` };
}

export default async function PayoutPage(props: Props) {
  const payout = await requirePayout(props);
  const { actions } = await listActions({ subject: payout.id, limit: SHOWN_ACTIONS });
  return (
    <>
      <PageHead
        back={{ href: '/operator/payouts', label: 'Payouts' }}
        title={`${inDollars(payout.amount)} to ${payout.teamName}`}
        description={<PayoutBadge {...payout} />}
        actions={<PayoutButtons {...toButtons(payout)} />}
      />
      <Due payout={payout} />
      {payout.payee !== null && <PayeeSection payout={payout} payee={payout.payee} />}
      <Section
        title="Details"
        description="Dates are in UTC."
        actions={
          <a
            href={`/operator/payouts/${payout.id}/statement.pdf`}
            className={buttonClass({ look: 'secondary', size: 'small' })}
          >
            Statement (PDF)
          </a>
        }
      >
        <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
          <Details payout={payout} />
        </dl>
        <p className="mt-4 mb-1.5 text-sm text-muted">Payout ID</p>
        <CopyField label="payout ID" value={payout.id} />
      </Section>
      <Section title="Apps" description="Earnings by app." flush>
        <LineTable
          rows={payout.lines
            .toSorted((one, other) => Number(other.amount - one.amount))
            .map(({ partnerId, app, amount, carriedBefore, carriedAfter }) => ({
              partnerId,
              name: app,
              amount: inDollars(amount),
              carriedBefore: inDollars(carriedBefore),
              carriedAfter: inDollars(carriedAfter),
            }))}
        />
      </Section>
      <Section title="Operator actions" flush>
        <LogTable of="operators" rows={actions.map(toLogRow)} withSubject={false} />
      </Section>
    </>
  );
}

function Due({ payout: { attention, detail, teamHeldReason, isHeld, teamId } }: { payout: PayoutFacts }) {
  if (attention === null) return null;
  const isBad = ['failed', 'returned', 'bank_failed', 'reversed_in_part'].includes(attention);
  return (
    <div className="mb-6">
      <Notice kind={isBad ? 'danger' : 'warning'}>
        {ATTENTION[attention][1]}
        {detail && ` ${isBad ? 'Reason' : 'Why'}: ${detail}.`}
        {attention === 'held' && !isHeld && teamHeldReason !== null && (
          <>
            {' '}
            <PageLink href={`/operator/payouts/teams/${teamId}`} className="underline underline-offset-2">
              All payouts of the team are paused.
            </PageLink>
          </>
        )}
      </Notice>
    </div>
  );
}

type PayeeProps = { payout: PayoutFacts; payee: NonNullable<PayoutFacts['payee']> };

function PayeeSection({ payout, payee }: PayeeProps) {
  const isToPay = payout.method === 'manual' && payout.state === 'planned';
  return (
    <Section
      title="Payee"
      description={
        isToPay
          ? 'Pay exactly this amount at the rate of the day, and send the payout ID along as the reference.'
          : 'As known when the payout was planned.'
      }
    >
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
        <Fact name="Name">{payee.name}</Fact>
        <Fact name="Address">{[...payee.address, payee.country].join(', ')}</Fact>
        <Fact name="Tax ID">{payee.taxId ?? 'none'}</Fact>
        {isToPay && (
          <Fact name="Destination">
            {payee.destinationEnding === null ? (
              'none'
            ) : (
              <Destination payoutId={payout.id} ending={payee.destinationEnding} />
            )}
          </Fact>
        )}
      </dl>
    </Section>
  );
}

const BANK = { in_transit: 'On its way', paid: 'Arrived', failed: 'Returned by the bank' } as const;

function Details({ payout }: { payout: PayoutFacts }) {
  return (
    <>
      <Fact name="Team">
        <PageLink href={`/operator/payouts/teams/${payout.teamId}`} className={ROW_LINK}>
          {payout.teamName}
        </PageLink>
      </Fact>
      <Fact name="Period">{payout.period}</Fact>
      <Fact name="Method">{payout.method === 'manual' ? 'By hand' : 'Stripe'}</Fact>
      <Fact name="Planned">
        <Time at={payout.createdAt.toISOString()} />
      </Fact>
      <Fact name="Approved by">{describeApproval(payout.approvedBy)}</Fact>
      <Given name="Sent" value={payout.sentAt && <Time at={payout.sentAt.toISOString()} />} />
      <Given name="Ended" value={payout.endedAt && <Time at={payout.endedAt.toISOString()} />} />
      <Given name="Reason" value={payout.failure} />
      <Given name={payout.method === 'manual' ? 'Reference' : 'Transfer'} value={payout.reference} />
      <Given name="Account at Stripe" value={payout.processorAccountId} />
      <Given name="Bank" value={payout.bankState && BANK[payout.bankState]} />
      <Given name="Amount paid" value={payout.paid && writePaid(payout.paid)} />
      <Given name="Reversed" value={payout.reversedMinor && inDollars(payout.reversedMinor * 1_000_000n)} />
      <Given
        name="Tried again"
        value={
          payout.state === 'waiting_for_balance' &&
          payout.nextLookAt && <Time at={payout.nextLookAt.toISOString()} />
        }
      />
    </>
  );
}

const Given = ({ name, value }: { name: string; value: ReactNode }) =>
  value ? <Fact name={name}>{value}</Fact> : null;

function describeApproval(approvedBy: string | null): string {
  if (approvedBy === null) return 'nobody yet';
  return approvedBy === 'service'
    ? 'not needed, as an earlier payout to the destination was approved'
    : approvedBy;
}
