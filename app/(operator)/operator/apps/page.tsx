import type { Metadata } from 'next';
import { requireOperator } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { creditsToJson } from '@/server/base/credits';
import { writeTypedLimits } from '@/server/base/typed-limits';
import { listPartners, type Partner, stateOf } from '@/server/partners/partner';
import { listWaitingProfiles } from '@/server/partners/profile';
import { isApprovalAsked, isNameWaiting } from '@/server/partners/rename';
import { listOwners } from '@/server/partners/teams';
import { describeLimits, readDefaultLimits } from '@/server/partners/user-limits';
import { readByPartner } from '@/server/reports/activity/install-activity';
import { readPeriod } from '@/server/reports/activity/periods';
import { AppsTable } from './apps-table';
import { DefaultLimitsButton } from './limits-button';

export const metadata: Metadata = { title: 'Apps' };

export default async function AppsPage() {
  await requireOperator();
  const [partners, owners, used, limits, profiles] = await Promise.all([
    listPartners(),
    listOwners(),
    readByPartner(readPeriod('30d')),
    readDefaultLimits(),
    listWaitingProfiles(),
  ]);
  const useOf = new Map(used.map((sums) => [sums.partnerId, sums]));
  const toRow = (partner: Partner) => ({
    id: partner.id,
    name: partner.name,
    owner: owners.get(partner.teamId ?? '') ?? null,
    state: stateOf(partner),
    isNameWaiting: isNameWaiting(partner),
    isProfileWaiting: profiles.has(partner.id),
    rate: partner.rateBp / 100,
    cap: partner.rateCapBp / 100,
    requests: useOf.get(partner.id)?.requests ?? 0,
    charged: creditsToJson(useOf.get(partner.id)?.charge ?? 0n) / 100,
  });
  const isWaiting = (partner: Partner) => stateOf(partner) === 'pending' || isApprovalAsked(partner);
  const waiting = partners.filter(isWaiting);
  const others = partners.filter((partner) => !isWaiting(partner));
  return (
    <>
      <PageHead
        title="Apps"
        description="Apps registered by partners. Requests and charges are for the last 30 days."
      />
      {waiting.length > 0 && (
        <Section title="Waiting for approval" flush>
          <AppsTable rows={waiting.map(toRow)} />
        </Section>
      )}
      <Section title={waiting.length > 0 ? 'Other apps' : 'All apps'} flush>
        <AppsTable rows={others.map(toRow)} />
      </Section>
      <Section
        title="Default limits"
        description="Spending limits for each user of apps without their own limits. Days and months are in UTC."
        actions={<DefaultLimitsButton saved={writeTypedLimits(limits)} />}
      >
        <p className="text-sm">{limits === null ? 'No limits' : describeLimits(limits)}</p>
        <p className="mt-1 text-sm text-muted">
          Each app can have a ceiling in addition, on its page. Where a limit applies, requests cost the
          database more: none of them reuses a hold.
        </p>
      </Section>
    </>
  );
}
