import { Section } from '@/app/_ui/section';
import { findLowBalanceMail } from '@/server/checkout/top-up/low-balance';
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
      </Section>
    </div>
  );
}
