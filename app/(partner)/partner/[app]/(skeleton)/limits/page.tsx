import { Gauge } from 'lucide-react';
import type { Metadata } from 'next';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { writeTypedLimits } from '@/server/base/typed-limits';
import { choosableModels } from '@/server/gateway/pricing/served';
import { hasRight } from '@/server/partners/rights';
import {
  type AppLimits,
  describeLimits,
  listLimitsOfUsers,
  listUsersNearLimits,
  readAppLimits,
} from '@/server/partners/user-limits';
import { ForRight } from '../../for-right';
import { type AppParams, requireMember } from '../../require-app';
import type { Search } from '../../search';
import { AppLimitsForm, UserLimitsForm } from './limits-form';
import { NearLimitsTable, SingleLimitsTable } from './limits-tables';

export const metadata: Metadata = { title: 'Limits' };

type Props = AppParams & { searchParams: Promise<Search> };

/** What each user may spend in the app. */
export default async function LimitsPage({ params, searchParams }: Props) {
  const [{ app, role }, search] = await Promise.all([requireMember({ params }), searchParams]);
  const [limits, ofUsers] = await Promise.all([readAppLimits(app.id), listLimitsOfUsers(app.id)]);
  const { own, ceiling } = limits;
  const user = typeof search.user === 'string' ? search.user : '';
  const form = {
    partnerId: app.id,
    ceiling: ceiling && writeTypedLimits(ceiling),
    models: choosableModels().map(({ id, name }) => ({ id, label: name })),
  };
  const savedOfUser = ofUsers.find(({ appUserId }) => appUserId === user)?.limits ?? null;
  return (
    <>
      <PageHead
        title="Limits"
        description="The most that each user may spend in your app. Days and months are in UTC. Users see these limits, and set their own as well."
      />
      <Others {...limits} />
      <Section
        title="Limits of each user"
        description="A request beyond them returns 402 partner_limit_reached. Spending from earlier today and this month is included."
      >
        {own && !hasRight(role, 'develop') && <p className="mb-3 text-sm">{describeLimits(own)}</p>}
        <ForRight role={role} right="develop">
          <AppLimitsForm
            key={JSON.stringify(writeTypedLimits(own))}
            {...form}
            saved={writeTypedLimits(own)}
          />
        </ForRight>
      </Section>
      <NearSection partnerId={app.id} hasLimits={hasAny(limits) || ofUsers.length > 0} />
      <div id="user" className="scroll-mt-6">
        <Section
          title="Limits of individual users"
          description="Override the limits for one user. Leave a field empty for no limit."
        >
          {ofUsers.length > 0 && (
            <div className="-mx-5 -mt-2 mb-5 border-b border-line">
              <SingleLimitsTable
                partnerId={app.id}
                limitsPath={pathOf(app.id)}
                canChange={hasRight(role, 'develop')}
                rows={ofUsers.map((one) => ({ user: one.appUserId, limits: describeLimits(one.limits) }))}
              />
            </div>
          )}
          <ForRight role={role} right="develop">
            <UserLimitsForm
              key={user + JSON.stringify(savedOfUser && writeTypedLimits(savedOfUser))}
              {...form}
              user={user}
              saved={writeTypedLimits(savedOfUser)}
            />
          </ForRight>
        </Section>
      </div>
    </>
  );
}

const pathOf = (partnerId: string): string => `/partner/${partnerId}/limits`;

async function NearSection({ partnerId, hasLimits }: { partnerId: string; hasLimits: boolean }) {
  const near = await listUsersNearLimits(partnerId);
  const count = (credits: bigint | null) => (credits === null ? null : creditsToJson(credits));
  return (
    <Section
      title="Users near their limit"
      description="Users at 80% or more of a limit, by the ID that your app knows. Amounts in credits."
      flush
    >
      <NearLimitsTable
        limitsPath={pathOf(partnerId)}
        rows={near.map(({ appUserId, daySpent, perDay, monthSpent, perMonth }) => ({
          user: appUserId,
          day: creditsToJson(daySpent),
          perDay: count(perDay),
          month: creditsToJson(monthSpent),
          perMonth: count(perMonth),
        }))}
        empty={
          <EmptyState icon={<Gauge size={22} aria-hidden="true" />} title="No users near their limit">
            {hasLimits
              ? 'Users appear here once they have spent 80% of a limit per day or month.'
              : 'Set a limit per day or month to see who comes near it.'}
          </EmptyState>
        }
      />
    </Section>
  );
}

const hasAny = ({ own, standard, ceiling }: AppLimits): boolean =>
  own !== null || standard !== null || ceiling !== null;

/** What an operator has set. */
function Others({ own, standard, ceiling }: AppLimits) {
  const isStandard = own === null && standard !== null;
  if (!isStandard && ceiling === null) return null;
  return (
    <div className="mb-6">
      <Notice>
        {isStandard && `Until you set limits, those of this service apply: ${describeLimits(standard)}. `}
        {ceiling && `This service allows at most: ${describeLimits(ceiling)}.`}
      </Notice>
    </div>
  );
}
