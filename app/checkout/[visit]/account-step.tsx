'use client';

import type { Language } from '@/texts/languages';
import { Amount } from '../../_ui/amount';
import { ArmedButton } from '../../_ui/armed-button';
import { Button } from '../../_ui/button';
import { Notice } from '../../_ui/notice';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { VisitState } from './api';
import { describeLimit } from './describe-limit';
import { LimitList } from './limit-list';
import { Line } from './line';
import { StepActions } from './step-actions';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  accountUrl: string;
  onSignIn(): void;
  onSignOut(): void;
  onBack(): void;
};

const LINK = 'mt-3 inline-flex min-h-11 items-center self-start text-accent underline underline-offset-2';

/** The user's credits, what the app may use of them, the limits, and sign-out. */
export function AccountStep({ say, language, visit, accountUrl, onSignIn, onSignOut, onBack }: Props) {
  const show = (credits: number | null) => <Amount credits={credits ?? 0} language={language} />;
  const isSignedIn = visit.signed_in === 'session';
  return (
    <section className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.accountTitle}</StepTitle>
      <p className="mt-1.5 mb-5 wrap-anywhere text-muted">
        {isSignedIn ? visit.email : say.accountByKey({ app: visit.app_name })}
      </p>
      {visit.limited_by !== null && (
        <div className="mb-4">
          <Notice kind="warning">
            {describeLimit(visit.limited_by, { say, language, app: visit.app_name })}
          </Notice>
        </div>
      )}
      <dl className="grid gap-2.5 border-y border-line py-4">
        <Line label={say.accountHere({ app: visit.app_name })}>{show(visit.balance)}</Line>
        {isSignedIn && (
          <>
            <Line label={say.accountAll}>{show(visit.money)}</Line>
            <Line label={say.accountAllowance}>
              {visit.allowance_left ? show(visit.allowance_left) : say.accountNoAllowance}
            </Line>
          </>
        )}
      </dl>
      {visit.limits.length > 0 && (
        <div className="pt-4">
          <LimitList say={say} language={language} limits={visit.limits} />
        </div>
      )}
      {isSignedIn ? (
        <>
          <a href={accountUrl} target="_blank" rel="noopener" className={LINK}>
            {say.accountMore}
          </a>
          <a href={`${accountUrl}/limits#mails`} target="_blank" rel="noopener" className={LINK}>
            {say.accountMails}
          </a>
        </>
      ) : (
        <button type="button" onClick={onSignIn} className={LINK}>
          {say.signIn}
        </button>
      )}
      <AppContact say={say} visit={visit} />
      <StepActions>
        <p className="mb-3 text-sm text-muted">{say.signOutHint({ app: visit.app_name })}</p>
        <div className="grid grid-cols-2 items-start gap-2">
          <Button look="secondary" size="large" onClick={onBack}>
            {say.back}
          </Button>
          <div>
            <ArmedButton
              look="secondary"
              size="large"
              coveredHint={say.covered}
              className="w-full"
              onClick={onSignOut}
            >
              {say.signOut}
            </ArmedButton>
          </div>
        </div>
      </StepActions>
    </section>
  );
}

/** Where a user finds help with the app. */
function AppContact({ say, visit }: Pick<Props, 'say' | 'visit'>) {
  const { app_name: name, app_site: site, app_support: support } = visit;
  if (site === null && support === null) return null;
  return (
    <p className="pt-4 text-sm wrap-anywhere text-muted">
      {say.accountHelp({ app: name })}{' '}
      {support !== null && (
        <a href={`mailto:${support}`} className="text-accent underline">
          {support}
        </a>
      )}
      {site !== null && support !== null && ' · '}
      {site !== null && (
        <a href={site} target="_blank" rel="noopener noreferrer" className="text-accent underline">
          {site.replace(/^https:\/\/|\/$/g, '')}
        </a>
      )}
    </p>
  );
}
