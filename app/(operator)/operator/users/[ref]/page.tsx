import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import type { ComponentProps } from 'react';
import { toRequestRow } from '@/app/_requests/request-row';
import { RequestTable } from '@/app/_requests/request-table';
import { requireOperator } from '@/app/_session/session';
import { buttonClass } from '@/app/_ui/button';
import { describeDevice } from '@/app/_ui/describe-device';
import { EmptyState } from '@/app/_ui/empty-state';
import { LogTable } from '@/app/_ui/log-table';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Pager } from '@/app/_ui/pager';
import { Section } from '@/app/_ui/section';
import { Stat, Stats } from '@/app/_ui/stat';
import { Time } from '@/app/_ui/time';
import { sealAccounts } from '@/server/operator/abuse';
import { findUserByRef } from '@/server/operator/find-user';
import { listActions } from '@/server/operator/record';
import { areBlocked } from '@/server/payments/checkout/purchase-block';
import { listPurchases } from '@/server/payments/checkout/purchases';
import { listDocuments } from '@/server/payments/invoices/documents';
import { listDevices } from '@/server/people/devices';
import { findUserSummary, type UserSummary } from '@/server/people/user-summary';
import { readLatestRequests } from '@/server/reports/activity/user-activity';
import { AllowButton, BlockButton } from '../../abuse/block-buttons';
import { toLogRow } from '../../log/to-log-row';
import { inCredits, inDollars } from '../../write-amounts';
import { CreditButton } from './credit-button';
import { PocketTable } from './pocket-table';
import { PurchaseTable } from './purchase-table';

export const metadata: Metadata = { title: 'User' };

const REQUESTS_SHOWN = 10;
const PURCHASES_SHOWN = 20;
const ACTIONS_SHOWN = 10;

type PageProps = { params: Promise<{ ref: string }>; searchParams: Promise<{ offset?: string }> };

export default async function UserPage({ params, searchParams }: PageProps) {
  await requireOperator();
  const { ref } = await params;
  const user = await findUserByRef(ref);
  if (user === null) notFound();
  const offset = readOffset((await searchParams).offset);
  const [summary, requests, devices, { purchases, total }, { actions }, isBlocked] = await Promise.all([
    findUserSummary(user.email),
    readLatestRequests(user.id, REQUESTS_SHOWN),
    listDevices(user.id),
    listInvoicedPurchases(user.id, { limit: PURCHASES_SHOWN, offset }),
    listActions({ subject: user.id, limit: ACTIONS_SHOWN }),
    areBlocked(user.id),
  ]);
  if (summary === null) notFound();
  const pockets = [
    { partnerId: null, name: 'Outside any app', own: inCredits(summary.outsideAnyApp ?? 0n) },
    ...summary.apps.map((app) => ({ partnerId: app.partnerId, name: app.name, own: inCredits(app.own) })),
  ];
  return (
    <>
      <PageHead
        back={{ href: '/operator/users', label: 'Users' }}
        title={user.email}
        description={
          <>
            Since <Time at={summary.createdAt.toISOString()} withClock={false} />
          </>
        }
        actions={<Actions userRef={ref} user={user} isBlocked={isBlocked} pockets={pockets} />}
      />
      {isBlocked && <BlockedNotice />}
      <Stats>
        <Stat label="Credits" value={inCredits(summary.money)} note={`worth ${inDollars(summary.money)}`} />
        <Stat
          label="Outside any app"
          value={inCredits(summary.outsideAnyApp ?? 0n)}
          note="given, or bought in the account"
        />
        <Stat label="Apps" value={summary.apps.length} />
        <Stat label="Devices" value={devices.length} note="signed in now" />
      </Stats>
      <Apps apps={summary.apps} />
      <Section
        title="Latest requests"
        description="Charged requests only. Refused requests are counted per app, not per user."
        flush
      >
        <RequestTable
          path={`/operator/users/${ref}/requests`}
          rows={requests.map(toRequestRow)}
          empty={
            <EmptyState title="No requests yet">No requests have been made with this user’s keys.</EmptyState>
          }
        />
      </Section>
      <Purchases userRef={ref} purchases={purchases} total={total} offset={offset} />
      <Devices devices={devices} />
      <Section title="Operator actions" flush>
        <LogTable of="operators" rows={actions.map(toLogRow)} withSubject={false} />
      </Section>
    </>
  );
}

type ActionsProps = {
  userRef: string;
  user: { id: string; email: string };
  isBlocked: boolean;
  pockets: ComponentProps<typeof CreditButton>['pockets'];
};

function Actions({ userRef, user: { id, email }, isBlocked, pockets }: ActionsProps) {
  return (
    <>
      {isBlocked ? (
        <AllowButton userRef={userRef} name={email} size="medium" />
      ) : (
        <BlockButton accounts={sealAccounts([id])} count={1} describe={email} size="medium" />
      )}
      <CreditButton kind="take" userRef={userRef} email={email} pockets={pockets} />
      <CreditButton kind="give" userRef={userRef} email={email} pockets={pockets} />
    </>
  );
}

function BlockedNotice() {
  return (
    <div className="mb-6">
      <Notice kind="warning">
        Purchases are blocked for all accounts of this mailbox. Their credits still work.
      </Notice>
    </div>
  );
}

function Apps({ apps }: { apps: UserSummary['apps'] }) {
  return (
    <Section title="Apps" flush>
      <PocketTable
        rows={apps.map((app) => ({
          id: app.partnerId,
          name: app.name,
          own: inCredits(app.own),
          limit: app.allowanceSaved === null ? '–' : inCredits(app.allowanceLeft ?? 0n),
          // The keys of a disabled app do not work, so nothing can be spent.
          balance: inCredits(app.isSuspended ? 0n : app.balance),
          status: app.isSuspended ? 'disabled' : app.status,
          keys: app.keys.length,
        }))}
      />
    </Section>
  );
}

/** Purchases with their invoices and credit notes. */
async function listInvoicedPurchases(...given: Parameters<typeof listPurchases>) {
  const { purchases, total } = await listPurchases(...given);
  const documents = await listDocuments(purchases.map(({ id }) => id));
  const documentsOf = (id: string) => documents.filter(({ purchaseId }) => purchaseId === id);
  return { purchases: purchases.map((each) => ({ ...each, documents: documentsOf(each.id) })), total };
}

type PurchasesProps = Awaited<ReturnType<typeof listInvoicedPurchases>> & { userRef: string; offset: number };

function Purchases({ userRef, purchases, total, offset }: PurchasesProps) {
  const page = (to: number) => `/operator/users/${userRef}?offset=${to}`;
  return (
    <Section
      title="Purchases"
      actions={
        <PageLink
          href={`/operator/payments?user=${userRef}#all`}
          className={buttonClass({ look: 'secondary', size: 'small' })}
        >
          All payments
        </PageLink>
      }
      flush
    >
      <PurchaseTable
        userRef={userRef}
        rows={purchases.map((purchase) => ({
          id: purchase.id,
          at: purchase.createdAt.toISOString(),
          appName: purchase.appName,
          currency: purchase.currency,
          amountMinor: purchase.amountMinor,
          refundedMinor: purchase.refundedMinor,
          credits: inCredits(purchase.credits),
          status: purchase.status,
          documents: purchase.documents,
        }))}
      />
      <Pager
        newer={offset > 0 ? page(Math.max(0, offset - PURCHASES_SHOWN)) : undefined}
        older={offset + PURCHASES_SHOWN < total ? page(offset + PURCHASES_SHOWN) : undefined}
        position={`${offset + 1}–${offset + purchases.length} of ${total}`}
      />
    </Section>
  );
}

function Devices({ devices }: { devices: Awaited<ReturnType<typeof listDevices>> }) {
  return (
    <Section title="Devices">
      {devices.length === 0 ? (
        <p className="text-sm text-muted">No devices are signed in.</p>
      ) : (
        <ul className="flex flex-col gap-3 text-sm">
          {devices.map((device) => (
            <li key={device.sessionId}>
              <p title={device.userAgent}>{describeDevice(device.userAgent).name}</p>
              <p className="text-[13px] text-muted">
                Last seen <Time at={device.lastSeenAt.toISOString()} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function readOffset(text: string | undefined): number {
  const offset = Number(text ?? 0);
  return Number.isInteger(offset) && offset >= 0 && offset < 1_000_000 ? offset : 0;
}
