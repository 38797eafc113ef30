import { Badge, type BadgeLook } from '@/app/_ui/badge';
import { Section } from '@/app/_ui/section';
import { hasRight, type Role } from '@/server/partners/rights';
import { describeAccount } from '@/server/payments/payouts/describe-account';
import type { PayoutOutlook } from '@/server/payments/payouts/outlook';
import { ForRight } from '../../for-right';
import { ContinueButton, DashboardButton, DisconnectButton, StartForm } from './account-buttons';
import type { CountryOption } from './payee-form';

type Props = {
  partnerId: string;
  outlook: PayoutOutlook;
  countries: CountryOption[];
  role: Role;
  /** Stripe sent the visitor back because the link had expired. */
  isExpired: boolean;
};

const LOOKS: Record<string, BadgeLook> = {
  onboarding: 'warning',
  active: 'positive',
  restricted: 'warning',
  rejected: 'danger',
  closed: 'danger',
};

const NOT_SET_UP = {
  title: 'Not set up',
  text: 'Stripe checks who is paid and pays out to your bank. We never see your bank account.',
};
const EXPIRED = 'The link to Stripe expired before you finished. Continue with a new one.';

/** The team's account at Stripe: its state, what is due, and the way there. */
export function AccountSection({
  partnerId,
  outlook: { account, payee },
  countries,
  role,
  isExpired,
}: Props) {
  const { title, text } = account === null ? NOT_SET_UP : describeAccount(account);
  const canContinue = account?.state === 'onboarding' || account?.state === 'restricted';
  const hasDashboard = account?.state === 'active' || account?.state === 'restricted';
  return (
    <Section
      title={
        <span className="flex flex-wrap items-center gap-2">
          Payout account
          <Badge look={LOOKS[account?.state ?? ''] ?? 'neutral'}>{title}</Badge>
        </span>
      }
      description="At Stripe, for all apps of your team."
    >
      <p className="mb-4 max-w-[68ch] text-sm">{isExpired && canContinue ? EXPIRED : text}</p>
      <ForRight role={role} right="payouts">
        {(account === null || account.state === 'closed') && (
          <StartForm partnerId={partnerId} country={payee?.country ?? ''} countries={countries} />
        )}
        <div className="flex flex-wrap gap-2 empty:hidden">
          {account !== null && canContinue && (
            <ContinueButton partnerId={partnerId} country={account.country} label="Continue at Stripe" />
          )}
          {hasDashboard && <DashboardButton partnerId={partnerId} />}
          {account !== null && account.state !== 'closed' && hasRight(role, 'replace_account') && (
            <DisconnectButton partnerId={partnerId} />
          )}
        </div>
      </ForRight>
    </Section>
  );
}
