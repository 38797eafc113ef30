'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Language } from '../../_ui/language';
import { type Messages, messagesFor } from '../messages';
import { FullMessage, OpeningMessage, Panel } from '../panel';
import { ProblemStep } from '../problem-step';
import { AccountHeader } from './account-header';
import { AccountStep } from './account-step';
import { AmountStep } from './amount-step';
import { createApi, failureCode, type Payment, type PaymentStatus, type VisitState } from './api';
import { describeFailure, describeOutcome } from './describe-failure';
import { LeavePrompt } from './leave-prompt';
import { AllowedStep, ConfirmingStep, ProcessingStep } from './outcome-steps';
import { PaymentStep } from './payment-step';
import { PermissionStep } from './permission-step';
import { SignIn } from './sign-in';
import {
  afterStepUp,
  firstStep,
  hasAccount,
  isBoundToStay,
  isPaying as isPayingStep,
  needsPermission,
  type Step,
} from './steps';
import { SuccessStep } from './success-step';
import { useCloseGuard } from './use-close-guard';
import { type HostLink, useHost } from './use-host';

type Props = {
  visitId: string;
  origin: string;
  language: Language;
  brand: string;
  accountUrl: string;
  mailUrl: string | null;
};

export function Checkout({ visitId, origin, language, brand, accountUrl, mailUrl }: Props) {
  const say = messagesFor(language);
  const api = useMemo(() => createApi(visitId), [visitId]);
  const [visit, setVisit] = useState<VisitState | null>(null);
  const [step, setStep] = useState<Step>({ name: 'connecting' });
  const [isLeaving, setLeaving] = useState(false);
  const isPaying = isPayingStep(step);
  const { link, orphaned } = useHost(origin, () => setLeaving(true));
  const started = useRef(false);
  const releaseWindow = useCloseGuard(isBoundToStay(step));

  const start = useCallback(
    async (host: HostLink) => {
      setStep({ name: 'connecting' });
      try {
        const state = await recognise(await api.readVisit(), host);
        setVisit(state);
        setStep(firstStep(state));
      } catch (error) {
        setStep({ name: failureCode(error) === 'not_found' ? 'lost' : 'broken' });
      }

      /** Whoever is signed in gives the app a key; else a key that the app holds tells who it is. */
      async function recognise(state: VisitState, { heldKey }: HostLink): Promise<VisitState> {
        if (state.signed_in === 'session' && heldKey === null) {
          const { sign_in_token: token } = await api.issueToken();
          await host.deliverToken(token);
          return state;
        }
        if (state.signed_in !== null || heldKey === null) return state;
        try {
          return (await api.recognise(heldKey)).state;
        } catch (error) {
          // A key that no longer works is dropped without a word; the user signs in again.
          if (failureCode(error) === 'invalid_user_key') host.send({ t: 'forget_key' });
          return state;
        }
      }
    },
    [api],
  );

  useEffect(() => {
    if (!link || started.current) return;
    started.current = true;
    void start(link);
  }, [link, start]);

  useEffect(() => {
    link?.send({ t: 'paying', paying: isPaying });
  }, [link, isPaying]);

  useEffect(() => {
    // The page around us does not hear keys pressed in here.
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Escape' || event.defaultPrevented || isLeaving) return;
      // Or the same key press would close the question it opens.
      event.preventDefault();
      if (isPaying) setLeaving(true);
      else link?.send({ t: 'close' });
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [link, isPaying, isLeaving]);

  if (orphaned || step.name === 'lost') {
    return (
      <Panel>
        <FullMessage title={orphaned ? say.noOpenerTitle : say.lostTitle}>
          <p className="text-muted">{orphaned ? say.noOpenerText : say.lostText}</p>
        </FullMessage>
      </Panel>
    );
  }
  if (!link || step.name === 'connecting' || (!visit && step.name !== 'broken')) return <Loading say={say} />;
  if (step.name === 'broken' || !visit) {
    return (
      <Panel>
        <ProblemStep
          title={say.brokenTitle}
          text={say.brokenText}
          action={say.retry}
          onAction={() => void start(link)}
        />
      </Panel>
    );
  }

  async function refresh(): Promise<void> {
    const fresh = await api.readVisit().catch(() => null);
    if (fresh) setVisit(fresh);
  }

  async function finishSignIn(
    host: HostLink,
    result: { sign_in_token: string; state: VisitState },
  ): Promise<void> {
    const isDelivered = await host.deliverToken(result.sign_in_token);
    setVisit(result.state);
    if (!isDelivered) return setStep({ name: 'key_failed' });
    setStep(step.name === 'step_up' ? afterStepUp(result.state, step.back) : firstStep(result.state));
  }

  async function deliverAgain(host: HostLink, state: VisitState): Promise<void> {
    const token = await api.issueToken().catch(() => null);
    if (token && (await host.deliverToken(token.sign_in_token))) setStep(firstStep(state));
  }

  async function choose(host: HostLink, amount: number, currency: string): Promise<string | undefined> {
    const { checkout_mode: checkoutMode } = host.init;
    // Later than in the click itself, browsers open no tab.
    const tab = checkoutMode === 'new_tab' ? window.open('', '_blank') : null;
    try {
      const payment = await api.startPayment({ amount, currency, checkoutMode, language });
      if (tab && payment.checkout_url !== null) sendTo(tab, payment.checkout_url);
      host.send({
        t: 'checkout_opened',
        session_id: payment.session_id,
        checkout_url: checkoutMode === 'manual' ? payment.checkout_url : null,
      });
      setStep({ name: 'payment', payment, isOpened: tab !== null });
      return undefined;
    } catch (error) {
      tab?.close();
      const code = failureCode(error);
      host.send({ t: 'purchase_error', error: { code, message: 'The payment could not be started.' } });
      return describeFailure(error, say);
    }
  }

  async function allow(host: HostLink, credits: number, saveId: string): Promise<string | undefined> {
    try {
      const saved = await api.saveAllowance(credits, saveId);
      host.send({
        t: 'credits_added',
        type: 'permission',
        balance: saved.balance,
        credits_added: saved.credits_added,
      });
      await refresh();
      setStep({ name: 'allowed', granted: saved.granted_credits });
      return undefined;
    } catch (error) {
      if (failureCode(error) !== 'step_up_required') return describeFailure(error, say);
      setStep({ name: 'step_up', back: step });
      return undefined;
    }
  }

  function finish(host: HostLink, payment: Payment, told: PaymentStatus): void {
    setLeaving(false);
    if (told.status !== 'completed') {
      host.send({ t: 'purchase_error', error: purchaseError(told) });
      return setStep({ name: 'failed', ...describeOutcome(told, say) });
    }
    const { balance, credits_added: creditsAdded, receipt_id: receiptId = null } = told;
    host.send({ t: 'credits_added', type: 'purchase', balance, credits_added: creditsAdded });
    void refresh();
    setStep({ name: 'success', payment, creditsAdded, balance, receiptId });
  }

  async function signOut(host: HostLink): Promise<void> {
    const answer = await api.signOut().catch(() => null);
    if (!answer) return setStep({ name: 'broken' });
    host.send({ t: 'logged_out' });
    setVisit(answer.state);
    setStep({ name: 'sign_in' });
  }

  function renderStep(host: HostLink, state: VisitState) {
    const common = { say, language, api, visit: state, appName: state.app_name, accountUrl };
    const backTo = step.name === 'step_up' ? step.back : null;
    switch (step.name) {
      case 'sign_in':
      case 'step_up':
        return (
          <SignIn
            key={step.name}
            {...common}
            mailUrl={mailUrl}
            isStepUp={step.name === 'step_up'}
            onSignedIn={(result) => finishSignIn(host, result)}
            onBuy={step.name === 'step_up' && backTo === null ? () => setStep({ name: 'amount' }) : undefined}
            onBack={backTo === null ? undefined : () => setStep(backTo)}
          />
        );
      case 'key_failed':
        return (
          <ProblemStep
            title={say.brokenTitle}
            text={say.keyFailed}
            action={say.retry}
            onAction={() => void deliverAgain(host, state)}
          />
        );
      case 'permission':
        return (
          <PermissionStep
            {...common}
            onAllow={(credits, saveId) => allow(host, credits, saveId)}
            onBuy={() => setStep({ name: 'amount' })}
          />
        );
      case 'amount':
        return (
          <AmountStep
            {...common}
            preset={host.init.amount}
            onChoose={(amount, currency) => choose(host, amount, currency)}
            onUseOwn={needsPermission(state) ? () => setStep(firstStep(state)) : undefined}
          />
        );
      case 'payment':
        return (
          <PaymentStep
            {...common}
            payment={step.payment}
            isOpened={step.isOpened}
            isManual={host.init.checkout_mode === 'manual'}
            onSubmitted={() => setStep({ name: 'confirming', payment: step.payment })}
            onProcessing={() => setStep({ name: 'processing', payment: step.payment })}
            onFinal={(status) => finish(host, step.payment, status)}
            onDeclined={() =>
              host.send({
                t: 'purchase_error',
                error: { code: 'payment_declined', message: 'The payment was declined.' },
              })
            }
            onBroken={() => {
              host.send({
                t: 'purchase_error',
                error: { code: 'payment_unavailable', message: 'The payment form could not be shown.' },
              });
              setStep({ name: 'failed', title: say.brokenTitle, text: say.brokenText, isOver: false });
            }}
            onBack={() => setStep({ name: 'amount' })}
          />
        );
      case 'confirming':
        return (
          <ConfirmingStep
            {...common}
            sessionId={step.payment.session_id}
            onProcessing={() => setStep({ name: 'processing', payment: step.payment })}
            onFinal={(status) => finish(host, step.payment, status)}
          />
        );
      case 'processing':
        return (
          <ProcessingStep
            {...common}
            sessionId={step.payment.session_id}
            onFinal={(status) => finish(host, step.payment, status)}
            onClose={() => host.send({ t: 'close' })}
          />
        );
      case 'success':
        return (
          <SuccessStep
            {...common}
            {...step}
            onAllow={(credits, saveId) => allow(host, credits, saveId)}
            onStepUp={() => setStep({ name: 'step_up', back: step })}
            onDone={() => host.send({ t: 'close' })}
          />
        );
      case 'account':
        return (
          <AccountStep
            {...common}
            onSignIn={() => setStep({ name: 'step_up', back: step })}
            onSignOut={() => void signOut(host)}
            onBack={() => setStep(step.back)}
          />
        );
      case 'allowed':
        return <AllowedStep {...common} granted={step.granted} onDone={() => host.send({ t: 'close' })} />;
      case 'failed':
        return (
          <ProblemStep
            title={step.title}
            text={step.text}
            action={step.isOver ? say.close : say.chooseAgain}
            onAction={() => (step.isOver ? host.send({ t: 'close' }) : setStep({ name: 'amount' }))}
          />
        );
      default:
        return null;
    }
  }

  return (
    <Panel footer={visit.sandbox ? say.sandbox : say.footer(brand)}>
      <AccountHeader
        say={say}
        language={language}
        visit={visit}
        onAccount={hasAccount(step) ? () => setStep({ name: 'account', back: step }) : null}
      />
      {renderStep(link, visit)}
      {isLeaving && isPaying && (
        <LeavePrompt
          say={say}
          onLeave={() => {
            releaseWindow();
            link.send({ t: 'close' });
          }}
          onStay={() => {
            setLeaving(false);
            link.send({ t: 'paying', paying: true });
          }}
        />
      )}
    </Panel>
  );
}

function Loading({ say }: { say: Messages }) {
  return (
    <Panel>
      <OpeningMessage text={say.loading} />
    </Panel>
  );
}

/** The new tab hears nothing of this window. */
function sendTo(tab: Window, url: string): void {
  tab.opener = null;
  tab.location.replace(url);
}

/** For the app, which learns that it failed but not why a bank said no. */
function purchaseError({ status }: PaymentStatus): { code: string; message: string } {
  return {
    code: `payment_${status}`,
    message: status === 'expired' ? 'The payment has expired.' : 'The payment failed.',
  };
}
