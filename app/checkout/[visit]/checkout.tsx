'use client';

import type { ReactNode } from 'react';
import type { Words } from '../messages';
import { FullMessage, OpeningMessage, Panel } from '../panel';
import { ProblemStep } from '../problem-step';
import { AccountHeader } from './account-header';
import { hasAccount } from './checkout-state';
import type { SignInWindow } from './issuer-windows';
import { LeavePrompt } from './leave-prompt';
import { StepView } from './step-view';
import { useCheckout } from './use-checkout';

type Props = {
  visitId: string;
  origin: string;
  words: Words;
  followsAccount: boolean;
  brand: string;
  accountUrl: string;
  signIn: SignInWindow;
  mailUrl: string | null;
};

export function Checkout({ brand, accountUrl, signIn, mailUrl, ...opened }: Props) {
  const { state, dispatch, api, host, orphaned, words, actions, leave } = useCheckout(opened);
  const { say, language } = words;
  const { visit, cards, step, isLeaving, offer } = state;

  if (orphaned) return <DeadEnd title={say.noOpenerTitle} text={say.noOpenerText} />;
  if (step.name === 'lost') return <DeadEnd title={say.lostTitle} text={say.lostText} />;
  if (!host || !actions || step.name === 'connecting') return <Opening text={say.loading} />;
  if (step.name === 'broken' || !visit) {
    return (
      <Panel>
        <ProblemStep
          title={say.brokenTitle}
          text={say.brokenText}
          action={say.retry}
          onAction={() => void actions.start()}
        />
      </Panel>
    );
  }
  return (
    <Panel footer={visit.sandbox ? say.sandbox : say.footer({ brand })}>
      <AccountHeader
        say={say}
        language={language}
        visit={visit}
        onAccount={hasAccount(step) ? () => dispatch({ type: 'account_opened' }) : null}
      />
      <StepView
        say={say}
        language={language}
        api={api}
        visit={visit}
        cards={cards}
        step={step}
        offer={offer}
        actions={actions}
        dispatch={dispatch}
        accountUrl={accountUrl}
        signIn={signIn}
        mailUrl={mailUrl}
        init={host.init}
      />
      {isLeaving && <LeavePrompt say={say} onLeave={leave} onStay={actions.stay} />}
    </Panel>
  );
}

function DeadEnd({ title, text }: { title: string; text: ReactNode }) {
  return (
    <Panel>
      <FullMessage title={title}>
        <p className="text-muted">{text}</p>
      </FullMessage>
    </Panel>
  );
}

function Opening({ text }: { text: string }) {
  return (
    <Panel>
      <OpeningMessage text={text} />
    </Panel>
  );
}
