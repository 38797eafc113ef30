import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { requireOperator } from '@/app/_session/session';
import { CopyField } from '@/app/_ui/copy-field';
import { LogTable } from '@/app/_ui/log-table';
import { Notice } from '@/app/_ui/notice';
import { PageHead } from '@/app/_ui/page-head';
import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { settings } from '@/server/base/env';
import { writeTypedLimits } from '@/server/base/typed-limits';
import { readEarnings } from '@/server/ledger';
import { listActions } from '@/server/operator/record';
import { findPartner, listOrigins, type Partner, stateOf } from '@/server/partners/partner';
import { readProfiles } from '@/server/partners/profile';
import { formatPercent } from '@/server/partners/rate';
import { isNameWaiting } from '@/server/partners/rename';
import { findOwner } from '@/server/partners/teams';
import { describeLimits, readAppLimits } from '@/server/partners/user-limits';
import { Fact } from '../../fact';
import { toLogRow } from '../../log/to-log-row';
import { inDollars } from '../../write-amounts';
import { CeilingButton } from '../limits-button';
import { StateBadge } from '../state-badge';
import {
  HoldButton,
  ModelsButton,
  NameButtons,
  ProfileButtons,
  RateCapButton,
  StateButtons,
} from './app-buttons';
import { TeamSection } from './team-section';

const SHOWN_ACTIONS = 10;

type Props = { params: Promise<{ id: string }> };

const requireApp = cache(async ({ params }: Props): Promise<Partner> => {
  await requireOperator();
  return (await findPartner((await params).id)) ?? notFound();
});

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: (await requireApp(props)).name };
}

export default async function AppPage(props: Props) {
  const partner = await requireApp(props);
  const { id } = partner;
  const [origins, owner, { actions }] = await Promise.all([
    listOrigins(id),
    findOwner(partner),
    listActions({ subject: id, limit: SHOWN_ACTIONS }),
  ]);
  const state = stateOf(partner);
  return (
    <>
      <PageHead
        back={{ href: '/operator/apps', label: 'Apps' }}
        title={partner.name}
        description={<StateBadge state={state} />}
        actions={<StateButtons partnerId={id} name={partner.name} state={state} />}
      />
      {partner.pausedAt && (
        <div className="mb-6">
          <Notice kind="danger">
            Paused for review for all users.{' '}
            <PageLink href="/operator/overruns" className="underline underline-offset-2">
              Open overruns
            </PageLink>
          </Notice>
        </div>
      )}
      {isNameWaiting(partner) && <NameSection partner={partner} />}
      <ProfileSection partner={partner} />
      <Section title="Details">
        <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
          <Fact name="Owner">{owner ?? 'none'}</Fact>
          <Fact name="Created">
            <Time at={partner.createdAt.toISOString()} />
          </Fact>
          <Fact name="Origins">{origins.length === 0 ? 'localhost only' : origins.join(', ')}</Fact>
          <Fact name="Webhook">{partner.webhookUrl ?? 'none'}</Fact>
        </dl>
        <p className="mt-4 mb-1.5 text-sm text-muted">App ID</p>
        <CopyField label="app ID" value={id} />
      </Section>
      <Section
        title="Commission"
        description={`${formatPercent(partner.rateBp)}% of the provider cost. The partner may set it to at most ${formatPercent(partner.rateCapBp)}%.`}
        actions={<RateCapButton partnerId={id} cap={formatPercent(partner.rateCapBp)} />}
      >
        <p className="text-sm text-muted">Requests in progress keep the rate they were admitted with.</p>
      </Section>
      <EarningsSection partner={partner} />
      <TeamSection teamId={partner.teamId} />
      <Section
        title="Models"
        description={describeModels(partner)}
        actions={<ModelsButton partnerId={id} allowed={partner.allModels ? null : partner.allowedModels} />}
      >
        {partner.allModels ? (
          <p className="text-sm text-muted">Models added later are included.</p>
        ) : (
          <ul className="flex flex-col gap-1 font-mono text-[13px] break-all">
            {partner.allowedModels.map((model) => (
              <li key={model}>{model}</li>
            ))}
          </ul>
        )}
      </Section>
      <LimitsSection partnerId={id} />
      <Section title="Operator actions" flush>
        <LogTable of="operators" rows={actions.map(toLogRow)} withSubject={false} />
      </Section>
    </>
  );
}

function NameSection({ partner: { id, name, pendingName } }: { partner: Partner }) {
  const description =
    pendingName === null
      ? `No operator has approved the name ${name} yet. The checkout shows the app’s origin next to it, and e-mails do not contain it.`
      : `The owner asks to rename the app to ${pendingName}. Users see ${name} until you approve the new name.`;
  return (
    <Section title="Name" description={description}>
      <NameButtons partnerId={id} name={pendingName ?? name} isRename={pendingName !== null} />
    </Section>
  );
}

/** The profile that waits, as users would see it. */
async function ProfileSection({ partner: { id, name } }: { partner: Partner }) {
  const { pending } = await readProfiles(id);
  if (pending === null) return null;
  const { logo, logoType, site, support, hash } = pending;
  return (
    <Section title="Profile" description="Waits for your approval. The logo must belong to the app.">
      <dl className="mb-4 grid gap-x-8 gap-y-4 text-sm sm:grid-cols-3">
        <Fact name="Logo">
          {logo ? (
            <img
              src={`data:${logoType};base64,${Buffer.from(logo).toString('base64')}`}
              alt=""
              className="size-10 object-contain"
            />
          ) : (
            'none'
          )}
        </Fact>
        <Fact name="Site">{site ?? 'none'}</Fact>
        <Fact name="Support">{support ?? 'none'}</Fact>
      </dl>
      <ProfileButtons partnerId={id} name={name} hash={hash} />
    </Section>
  );
}

async function EarningsSection({ partner }: { partner: Partner }) {
  const earnings = await readEarnings(partner.id);
  return (
    <Section
      title="Earnings"
      description={`Commission matures after ${earnings.holdDays} days. Refunds and disputes can reverse it for ${Math.max(earnings.holdDays, 120)} days.`}
      actions={
        <HoldButton
          partnerId={partner.id}
          days={partner.earningsHoldDays?.toString() ?? ''}
          defaultDays={settings().EARNINGS_HOLD_DAYS}
        />
      }
    >
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-3">
        <Fact name="Maturing">{inDollars(earnings.maturing)}</Fact>
        <Fact name="Matured">{inDollars(earnings.matured)}</Fact>
        <Fact name="Matured and still disputable">{inDollars(earnings.disputable)}</Fact>
      </dl>
      <p className="mt-4 text-sm text-muted">
        Cardholders can dispute a payment for about 120 days. Until then a dispute reverses commission that
        has matured, too: what was paid out of it is your exposure, and lowers the next payout.
      </p>
    </Section>
  );
}

async function LimitsSection({ partnerId }: { partnerId: string }) {
  const { own, standard, ceiling } = await readAppLimits(partnerId);
  const ofApp = own ?? standard;
  return (
    <Section
      title="Limits of users"
      description="Spending limits for each user of this app. Days and months are in UTC."
      actions={<CeilingButton partnerId={partnerId} saved={writeTypedLimits(ceiling)} />}
    >
      <dl className="grid gap-x-8 gap-y-4 text-sm sm:grid-cols-2">
        <Fact
          name={own === null && standard !== null ? 'Default, as the partner set none' : 'Set by the partner'}
        >
          {ofApp === null ? 'none' : describeLimits(ofApp)}
        </Fact>
        <Fact name="Ceiling">{ceiling === null ? 'none' : describeLimits(ceiling)}</Fact>
      </dl>
    </Section>
  );
}

function describeModels({ allModels, allowedModels }: Partner): string {
  if (allModels) return 'All models are allowed.';
  return allowedModels.length === 1 ? '1 model is allowed.' : `${allowedModels.length} models are allowed.`;
}
