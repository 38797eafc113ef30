import { Mail } from 'lucide-react';
import type { Metadata } from 'next';
import { requireSession } from '@/app/_session/session';
import { PageHead } from '@/app/_ui/page-head';
import { Section } from '@/app/_ui/section';
import { Time } from '@/app/_ui/time';
import { readPockets } from '@/server/ledger';
import { inCredits, inDollars } from '../../show-credits';
import { ChangeEmail } from './change-email';
import { DeleteAccount } from './delete-account';
import { Identities } from './identities';
import { LanguageField } from './language';
import { Passkeys } from './passkeys';
import { TimeZoneField } from './time-zone';

export const metadata: Metadata = { title: 'Settings' };

/** The account's e-mail address, how its user signs in, and its deletion. */
export default async function SettingsPage() {
  const session = await requireSession();
  const { userId, email, confirmedAt, timeZone, language } = session;
  const { money } = await readPockets(userId);
  return (
    <>
      <PageHead title="Settings" />
      <Section
        title="Sign-in"
        description="Apps never see your e-mail address. Each knows you by a separate ID."
      >
        <div className="flex flex-wrap items-center gap-4">
          <span className="grid size-10 shrink-0 place-items-center rounded-full bg-sunken text-muted">
            <Mail size={18} aria-hidden="true" />
          </span>
          <div className="min-w-0 flex-1 basis-56">
            <p className="truncate font-medium">{email}</p>
            <p className="text-[13px] text-muted">
              A six-digit code by e-mail
              <span className="max-sm:hidden"> · </span>
              <span className="max-sm:block">
                last confirmed here <Time at={confirmedAt.toISOString()} />
              </span>
            </p>
          </div>
          <ChangeEmail email={email} />
        </div>
      </Section>
      <Passkeys session={session} />
      <Identities userId={userId} />
      <div id="time-zone" className="scroll-mt-6">
        <Section
          title="Language and time zone"
          description="Choose the language of pages and e-mails, and how your account shows times."
        >
          <div className="fields">
            <LanguageField language={language} />
            <TimeZoneField zone={timeZone} zones={Intl.supportedValuesOf('timeZone')} />
          </div>
        </Section>
      </div>
      <Section
        title="Delete my account"
        description="Signs out all devices, revokes every key and erases your e-mail address and billing details. For accounting, we keep anonymised receipts, and invoices as issued."
      >
        <DeleteAccount
          email={email}
          lost={money > 0n ? `${inCredits(money)}, worth ${inDollars(money)}` : null}
        />
      </Section>
    </>
  );
}
