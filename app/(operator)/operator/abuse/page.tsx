import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { requireOperator } from '@/app/_session/session';
import { Badge } from '@/app/_ui/badge';
import { EmptyState } from '@/app/_ui/empty-state';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { ROW_LINK } from '@/app/_ui/row-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { countOf } from '@/server/base/count-of';
import {
  ABUSE,
  type Accounts,
  type Blocked,
  type Declined,
  listBlocked,
  type Reversals,
  readDeclined,
  readReversals,
  readShared,
  type Shared,
} from '@/server/operator/abuse';
import { StateButtons } from '../apps/[id]/app-buttons';
import { inNumber, inPercent } from '../write-amounts';
import { AllowButton, BlockButton } from './block-buttons';
import {
  describeAppReversals,
  describeDeclined,
  describePage,
  describeSharedCards,
  describeSharedNetworks,
  describeUserReversals,
} from './descriptions';

export const metadata: Metadata = { title: 'Abuse' };

const DELETED = 'a deleted account';

export default async function AbusePage() {
  await requireOperator();
  const [cards, browsers, networks, byAccount, byCard, byNetwork, reversals, blocked] = await Promise.all([
    readShared('card'),
    readShared('browser'),
    readShared('network'),
    readDeclined('account'),
    readDeclined('card'),
    readDeclined('network'),
    readReversals(),
    listBlocked(),
  ]);
  const { shared } = ABUSE;
  return (
    <>
      <PageHead title="Abuse" description={describePage()} />
      <Section title="Shared cards" description={describeSharedCards()} flush>
        <SharedList
          groups={cards}
          what="one card"
          none={`No card is shared by ${shared.card} or more accounts.`}
        />
      </Section>
      <Section
        title="Shared browsers"
        description={`${shared.browser} or more accounts signed in from the same browser.`}
        flush
      >
        <SharedList
          groups={browsers}
          what="one browser"
          none={`No browser is shared by ${shared.browser} or more accounts.`}
        />
      </Section>
      <Section title="Shared networks" description={describeSharedNetworks()} flush>
        <SharedList
          groups={networks}
          what="one network"
          none={`No network is shared by ${shared.network} or more accounts.`}
        />
      </Section>
      <Section title="Declined payments" description={describeDeclined()} flush>
        <DeclinedList
          rows={[...byNetwork.map(on('network')), ...byCard.map(on('card')), ...byAccount.map(on(null))]}
        />
      </Section>
      <AppReversals {...reversals} />
      <UserReversals users={reversals.users} />
      {blocked.total > 0 && <BlockedAccounts {...blocked} />}
    </>
  );
}

function BlockedAccounts({ blocked, total }: { blocked: Blocked[]; total: number }) {
  return (
    <Section
      title={
        total === 1
          ? '1 account with blocked purchases'
          : `${inNumber(total)} accounts with blocked purchases`
      }
      description={total > blocked.length ? `The latest ${blocked.length}.` : undefined}
      flush
    >
      <ul>
        {blocked.map(({ userRef, email, blockedAt }) => (
          <Row
            key={email ?? blockedAt.getTime()}
            title={<UserLink userRef={userRef} email={email} />}
            facts={
              <>
                Since <Time at={blockedAt.toISOString()} />
              </>
            }
            action={<AllowButton userRef={userRef} name={email ?? DELETED} />}
          />
        ))}
      </ul>
    </Section>
  );
}

type SharedListProps = { groups: Shared[]; what: string; none: string };

function SharedList({ groups, what, none }: SharedListProps) {
  if (groups.length === 0) return <Nothing>{none}</Nothing>;
  return (
    <ul>
      {groups.map(({ accounts, seenAt, of }) => (
        <AccountsRow
          key={of.key}
          title={`${inNumber(accounts)} accounts on ${what}`}
          facts={
            <>
              {of.created === 0 ? 'None' : inNumber(of.created)} created in the last {ABUSE.days} days · last
              seen <Time at={seenAt.toISOString()} />
            </>
          }
          of={of}
        />
      ))}
    </ul>
  );
}

type DeclinedRow = Declined & { on: 'card' | 'network' | null };

const on =
  (place: DeclinedRow['on']) =>
  (row: Declined): DeclinedRow => ({ ...row, on: place });

function DeclinedList({ rows }: { rows: DeclinedRow[] }) {
  if (rows.length === 0) return <Nothing>No unusual declines.</Nothing>;
  return (
    <ul>
      {rows.map(({ on: place, worst, total, accounts, lastAt, of }) => (
        <AccountsRow
          key={`${place} ${of.key}`}
          title={[
            `${inNumber(worst)} declined within an hour`,
            ...(place === null ? [] : [`${inNumber(accounts)} accounts on one ${place}`]),
          ].join(', ')}
          facts={
            <>
              {inNumber(total)} in {ABUSE.days} days · last <Time at={lastAt.toISOString()} />
            </>
          }
          of={of}
        />
      ))}
    </ul>
  );
}

function AppReversals({ medians, apps }: Reversals) {
  return (
    <Section title="Refunds and disputes of apps" description={describeAppReversals(medians)} flush>
      {apps.length === 0 ? (
        <Nothing>No app has an unusual rate.</Nothing>
      ) : (
        <ul>
          {apps.map((app) => (
            <Row
              key={app.partnerId ?? ''}
              title={
                app.partnerId === null ? (
                  app.name
                ) : (
                  <PageLink href={`/operator/apps/${app.partnerId}`} className={`wrap-anywhere ${ROW_LINK}`}>
                    {app.name}
                  </PageLink>
                )
              }
              facts={`${inPercent(app.refundedBp)} refunded · ${inPercent(app.disputedBp)} disputed · ${countOf(app.purchases, 'purchase')}`}
              action={
                app.partnerId !== null && (
                  <StateButtons
                    partnerId={app.partnerId}
                    name={app.name}
                    state={app.isDisabled ? 'disabled' : 'enabled'}
                  />
                )
              }
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

function UserReversals({ users }: Pick<Reversals, 'users'>) {
  return (
    <Section title="Refunds and disputes of users" description={describeUserReversals()} flush>
      {users.length === 0 ? (
        <Nothing>No users with repeated refunds or disputes.</Nothing>
      ) : (
        <ul>
          {users.map(({ purchases, refunded, disputed, lastAt, of }) => (
            <AccountsRow
              key={of.key}
              title={`Of ${countOf(purchases, 'purchase')}, ${inNumber(refunded)} refunded, ${inNumber(disputed)} disputed`}
              facts={
                <>
                  Most recent of these purchases: <Time at={lastAt.toISOString()} />
                </>
              }
              of={of}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Accounts, with the button that blocks the purchases of all of them. */
function AccountsRow({ title, facts, of }: { title: string; facts: ReactNode; of: Accounts }) {
  const more = of.count - of.shown.length;
  return (
    <Row
      title={title}
      facts={
        <>
          <span className="block">{facts}</span>
          <span className="mt-2 flex flex-col items-start gap-1">
            {of.shown.map(({ userRef, email, isBlocked }) => (
              <span key={userRef} className="flex flex-wrap items-center gap-2">
                <UserLink userRef={userRef} email={email} />
                {isBlocked && <Badge look="warning">Blocked</Badge>}
              </span>
            ))}
            {more > 0 && <span>and {inNumber(more)} more</span>}
          </span>
        </>
      }
      action={
        of.blocked === of.count ? (
          <Badge look="warning">{of.count === 1 ? 'Blocked' : 'All blocked'}</Badge>
        ) : (
          <BlockButton accounts={of.token} count={of.count} describe={title} />
        )
      }
    />
  );
}

function Row({ title, facts, action }: { title: ReactNode; facts: ReactNode; action: ReactNode }) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 border-b border-line/70 px-5 py-4 text-sm last:border-0">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">{title}</p>
        <div className="mt-1 text-[13px] text-muted">{facts}</div>
      </div>
      {action}
    </li>
  );
}

function UserLink({ userRef, email }: { userRef: string; email: string | null }) {
  return (
    <PageLink href={`/operator/users/${userRef}`} className={`text-text wrap-anywhere ${ROW_LINK}`}>
      {email ?? DELETED}
    </PageLink>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return (
    <EmptyState icon={<CircleCheck size={20} aria-hidden="true" />} title="Nothing unusual">
      {children}
    </EmptyState>
  );
}
