import { Landmark } from 'lucide-react';
import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { Pager, positionOf } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { hasRight, type Role } from '@/server/partners/rights';
import { listCountries } from '@/server/payments/invoices/countries';
import { PAYOUT_COUNTRIES } from '@/server/payments/payouts/accounts';
import { listPayouts } from '@/server/payments/payouts/list-payouts';
import { type PayoutOutlook, readOutlook } from '@/server/payments/payouts/outlook';
import { ForRight } from '../../for-right';
import { inDollars } from '../../money';
import { describePayout, writeMonth } from '../../payout-words';
import { type AppParams, requireApp, requireMember } from '../../require-app';
import { urlOf } from '../../search';
import { AccountSection } from './account-section';
import { type CountryOption, PayeeForm } from './payee-form';
import { AppsTable, PayoutsTable } from './payouts-table';
import { RequestButton } from './request-button';
import { Waits } from './waits';

export const metadata: Metadata = { title: 'Payouts' };

const ROWS = 24;

type Props = AppParams & { searchParams: Promise<{ page?: string | string[]; link?: string | string[] }> };

/** Everything here concerns the whole team, whichever of its apps is open. */
export default async function PayoutsPage({ params, searchParams }: Props) {
  const app = await requireApp({ params }, 'see_payouts');
  const { role } = await requireMember({ params });
  const search = await searchParams;
  const page = Math.min(Math.max(1, Math.floor(Number(search.page)) || 1), 1_000);
  const [outlook, list] = await Promise.all([
    readOutlook(app.teamId),
    listPayouts(app.teamId, { offset: (page - 1) * ROWS, limit: ROWS }),
  ]);
  const path = `/partner/${app.id}/payouts`;
  const canChange = hasRight(role, 'payouts');
  const countries = listCountries().map(({ code, name }) => ({ value: code, label: name }));
  const isStripe = outlook.method === 'stripe';
  return (
    <>
      <PageHead
        title="Payouts"
        description={`The matured earnings of all apps of ${outlook.teamName}, paid to your team.`}
        actions={canChange && outlook.canRequest && <Request partnerId={app.id} outlook={outlook} />}
      />
      <Numbers outlook={outlook} />
      <Waits partnerId={app.id} outlook={outlook} />
      {isStripe && (
        <AccountSection
          partnerId={app.id}
          outlook={outlook}
          role={role}
          countries={countries.filter(({ value }) => PAYOUT_COUNTRIES.includes(value))}
          isExpired={search.link === 'expired'}
        />
      )}
      <List path={path} page={page} list={list} outlook={outlook} />
      {outlook.apps.length > 1 && <Apps outlook={outlook} />}
      <Payee partnerId={app.id} outlook={outlook} countries={countries} role={role} />
    </>
  );
}

type Listed = Awaited<ReturnType<typeof listPayouts>>;
type ListProps = { path: string; page: number; list: Listed; outlook: PayoutOutlook };

function List({ path, page, list, outlook }: ListProps) {
  return (
    <Section title="Payouts" description="Dates are in UTC." flush>
      {list.total === 0 ? (
        <EmptyState icon={<Landmark size={22} aria-hidden="true" />} title="No payouts yet">
          {describeFirst(outlook)}
        </EmptyState>
      ) : (
        <PayoutsTable rows={list.payouts.map((payout) => toRow(path, payout))} />
      )}
      <Pager
        newer={page > 1 ? urlOf(path, { page: page === 2 ? '' : String(page - 1) }) : undefined}
        older={page * ROWS < list.total ? urlOf(path, { page: String(page + 1) }) : undefined}
        position={positionOf({ page, rows: ROWS, total: list.total })}
      />
    </Section>
  );
}

type PayeeProps = { partnerId: string; outlook: PayoutOutlook; countries: CountryOption[]; role: Role };

function Payee({ partnerId, outlook, countries, role }: PayeeProps) {
  const isStripe = outlook.method === 'stripe';
  return (
    <div id="payee-details">
      <Section
        title="Payee details"
        description={
          isStripe
            ? 'For your statements. Stripe asks for its own.'
            : 'For your statements, and where we pay you.'
        }
      >
        {!hasRight(role, 'payouts') && outlook.payee && (
          <p className="mb-3 text-sm">{[outlook.payee.name, ...outlook.payee.address].join(', ')}</p>
        )}
        <ForRight role={role} right="payouts">
          <PayeeForm
            partnerId={partnerId}
            payee={outlook.payee && toForm(outlook.payee)}
            countries={countries}
            asksForDestination={!isStripe}
          />
        </ForRight>
      </Section>
    </div>
  );
}

const toForm = ({ address, taxId, ...payee }: NonNullable<PayoutOutlook['payee']>) => ({
  address: address.join('\n'),
  taxId: taxId ?? '',
  ...payee,
});

function Request({ partnerId, outlook }: { partnerId: string; outlook: PayoutOutlook }) {
  const isAgain = outlook.waits.length > 0;
  return (
    <RequestButton
      partnerId={partnerId}
      label={isAgain ? 'Request payout again' : 'Request payout'}
      amount={inDollars(outlook.payable - outlook.reserve)}
    />
  );
}

function Numbers({
  outlook: { payable, maturing, paidOut, plannedOn, reserve },
}: {
  outlook: PayoutOutlook;
}) {
  return (
    <Stats>
      <Stat
        label="Payable now"
        value={inDollars(payable)}
        note={
          reserve > 0n
            ? `From all apps of the team, ${inDollars(reserve)} in reserve`
            : 'From all apps of the team'
        }
      />
      <Stat label="Maturing" value={inDollars(maturing)} note="Can still be reversed" />
      <Stat label="Paid out, all time" value={inDollars(paidOut)} />
      <Stat
        label="Next payout"
        value={
          plannedOn === null ? 'On request' : <Time at={plannedOn.toISOString()} withClock={false} isDay />
        }
        note={plannedOn === null ? 'Once a month' : 'On the first of each month'}
      />
    </Stats>
  );
}

function describeFirst({ plannedOn, minimum }: PayoutOutlook): string {
  const when = plannedOn === null ? 'when you request it' : 'on the first of each month';
  return `Earnings are paid out ${when}, once ${inDollars(minimum)} have matured. Payouts and their statements appear here.`;
}

function toRow(
  path: string,
  payout: Parameters<typeof describePayout>[0] & {
    id: string;
    period: string;
    amount: bigint;
    createdAt: Date;
    sentAt: Date | null;
  },
) {
  const { label, look } = describePayout(payout);
  return {
    href: `${path}/${payout.id}`,
    period: writeMonth(payout.period),
    amount: inDollars(payout.amount),
    label,
    look,
    at: (payout.sentAt ?? payout.createdAt).toISOString(),
  };
}

function Apps({ outlook }: { outlook: PayoutOutlook }) {
  return (
    <Section
      title="By app"
      description="A payout covers all apps of your team. The negative balance of an app is deducted."
      flush
    >
      <AppsTable
        rows={outlook.apps.map(({ app, payable, maturing, paidOut }) => ({
          app,
          payable: inDollars(payable),
          maturing: inDollars(maturing),
          paidOut: inDollars(paidOut),
        }))}
      />
    </Section>
  );
}
