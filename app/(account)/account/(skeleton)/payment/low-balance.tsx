import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { findLowBalanceMail } from '@/server/payments/checkout/top-up/low-balance';
import { LowBalanceForm } from './low-balance-form';

/** An e-mail when few credits are left. */
export async function LowBalance({ userId, email }: { userId: string; email: string }) {
  return (
    <div id="low-balance" className="scroll-mt-6">
      <Section
        title="Low-balance e-mail"
        description="Get an e-mail when your balance drops below an amount you choose, at most once a day."
      >
        <LowBalanceForm email={email} saved={await findLowBalanceMail(userId)} />
        <p className="mt-5 text-sm text-muted">
          Find e-mails about limits, unusual spending and the week under{' '}
          <PageLink href="/account/limits#mails" className="underline">
            Limits
          </PageLink>
          .
        </p>
      </Section>
    </div>
  );
}
