import type { Metadata } from 'next';
import { describeFailure, findPendingIdentity } from '@/app/_session/issuer-outcome';
import { SIGN_IN_WINDOW } from '@/app/_session/issuer-start';
import { readLanguage } from '@/app/_session/language';
import { findSession } from '@/app/_session/session';
import { sharedTexts } from '@/app/_session/shared-texts';
import { wordsOf } from '@/app/checkout/messages';
import { checkoutOrigin } from '@/server/payments/checkout/same-origin';
import { findVisitApp } from '@/server/payments/checkout/visit-partner';
import { listIssuers } from '@/server/people/issuers';
import { CHECKOUT_TEXTS } from '@/texts/checkout';
import { FullMessage, OpeningMessage, Panel } from '../panel';
import { Ask } from './ask';
import { EnterCode } from './enter-code';
import { HandOver } from './hand-over';
import { Leave } from './leave';

export async function generateMetadata(): Promise<Metadata> {
  return { title: CHECKOUT_TEXTS[await readLanguage()].signIn };
}

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/**
 * The window in which a checkout signs in with an issuer: a frame on another site could not. The user decides at the end
 * whether to continue to the app. It leaves for the issuer at once, but any page can open it: an account that is signed in
 * here is replaced by a click only.
 */
export default async function SignInWindow({ searchParams }: Props) {
  return <Panel>{await content(await searchParams)}</Panel>;
}

async function content(query: Awaited<Props['searchParams']>) {
  const language = await readLanguage();
  const { say } = wordsOf(CHECKOUT_TEXTS[language], language);
  const shared = sharedTexts(language);
  const { visit = '', with: wanted } = query;
  const appName = typeof visit === 'string' ? await findVisitApp(visit) : null;
  if (typeof visit !== 'string' || appName === null) return <FullMessage title={say.lostTitle} />;
  const start = `${SIGN_IN_WINDOW}?${new URLSearchParams({ visit, locale: language })}`;
  const failure = describeFailure(query.failure, say);
  if (failure !== undefined) return <FullMessage title={say.signInTitle}>{failure}</FullMessage>;
  const issuer = listIssuers().find(({ provider }) => provider === wanted);
  const session = await findSession();
  if (issuer !== undefined)
    return session === null ? (
      <>
        <OpeningMessage text={say.continueWith({ issuer: issuer.name })} />
        <Leave provider={issuer.provider} start={start} />
      </>
    ) : (
      <Ask shared={shared} issuer={issuer} start={start} email={session.email} />
    );
  const pending = await findPendingIdentity();
  if (pending !== null) return <EnterCode shared={shared} pending={pending} start={start} />;
  if (session === null) return <FullMessage title={say.lostTitle}>{say.issuerFailures.failed}</FullMessage>;
  return (
    <HandOver
      shared={shared}
      visitId={visit}
      appName={appName}
      email={session.email}
      checkoutOrigin={checkoutOrigin()}
    />
  );
}
