import { PageLink } from '@/app/_ui/page-link';
import { Section } from '@/app/_ui/section';
import { readWarningChoices } from '@/server/people/warnings/choice';
import { MailSwitches } from './mail-switches';

/** The warnings that a user gets by e-mail. */
export async function Mails({ userId, email }: { userId: string; email: string }) {
  return (
    <div id="mails" className="scroll-mt-6">
      <Section
        title="E-mails about spending"
        description={`Sent to ${email}. Every e-mail has links to stop spending and to unsubscribe.`}
      >
        <MailSwitches choices={await readWarningChoices(userId)} />
        <p className="mt-5 text-sm text-muted">
          E-mails about a low balance are under{' '}
          <PageLink href="/account/payment#low-balance" className="underline">
            Payment
          </PageLink>
          .
        </p>
      </Section>
    </div>
  );
}
