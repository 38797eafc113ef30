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
        description="We write to you once when your credits fall below a number of your choice, at most once a day."
      >
        <LowBalanceForm email={email} saved={await findLowBalanceMail(userId)} />
        <p className="mt-5 text-sm text-muted">
          E-mails at a share of your limits or credits, about unusual spending and each week are under{' '}
          <PageLink href="/account/limits#mails" className="underline">
            Limits
          </PageLink>
          .
        </p>
      </Section>
    </div>
  );
}
