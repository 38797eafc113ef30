'use client';

import type { Language } from '@/texts/languages';
import type { Init } from '@/widget/contract';
import type { ShownCard } from '../../_ui/saved-card';
import type { Messages } from '../messages';
import { ProblemStep } from '../problem-step';
import { AccountStep } from './account-step';
import type { Actions } from './actions';
import { AllowanceCodeStep } from './allowance-code-step';
import { AllowanceStep } from './allowance-step';
import { AmountStep } from './amount-step';
import type { Api, Order, VisitState } from './api';
import { BankStep } from './bank-step';
import { type CheckoutEvent, needsAllowance, type Step } from './checkout-state';
import { describeOutcome } from './describe-failure';
import type { SignInWindow } from './issuer-windows';
import { LimitStep } from './limit-step';
import { AllowedStep, ConfirmingStep, ProcessingStep } from './outcome-steps';
import { PaymentStep } from './payment-step';
import type { Offer } from './purchase-amount';
import { SignIn } from './sign-in';
import { SuccessStep } from './success-step';

type Props = {
  say: Messages;
  language: Language;
  api: Api;
  init: Init;
  visit: VisitState;
  cards: ShownCard[] | null;
  step: Step;
  offer: Offer | null;
  actions: Actions;
  dispatch(event: CheckoutEvent): void;
  accountUrl: string;
  signIn: SignInWindow;
  mailUrl: string | null;
};

const NO_CARDS: ShownCard[] = [];

/** The view of each step. */
export function StepView(props: Props) {
  const { say, step, init, actions, dispatch } = props;
  const buy = () => dispatch({ type: 'amount_requested' });
  const stepUp = () => dispatch({ type: 'step_up_requested' });
  const goBack = () => dispatch({ type: 'went_back' });
  switch (step.name) {
    case 'sign_in':
      return <SignIn key="sign_in" {...props} isStepUp={false} onSignedIn={actions.finishSignIn} />;
    case 'step_up':
      return (
        <SignIn
          key="step_up"
          {...props}
          isStepUp
          promotionCode={step.back?.name === 'amount' ? step.back.code : undefined}
          onSignedIn={actions.finishSignIn}
          {...(step.back === null ? { onBuy: buy } : { onBack: goBack })}
        />
      );
    case 'key_failed':
      return (
        <ProblemStep
          title={say.brokenTitle}
          text={say.keyFailed}
          action={say.retry}
          onAction={() => void actions.deliverKeyAgain()}
        />
      );
    case 'allowance':
      return <AllowanceStep {...props} onAllow={actions.saveAllowance} onBuy={buy} />;
    case 'limit':
      return <LimitView {...props} onBuy={buy} />;
    case 'allowance_code':
      return <AllowanceCodeStep {...props} {...step} onSave={actions.saveAllowance} onBack={goBack} />;
    case 'amount':
      return <AmountView {...props} preset={step.amount ?? init.amount} typedCode={step.code} />;
    case 'account':
      return (
        <AccountStep {...props} onSignIn={stepUp} onSignOut={() => void actions.signOut()} onBack={goBack} />
      );
    case 'success':
      return (
        <SuccessStep
          {...props}
          {...step}
          home={homeOf(props)}
          onAllow={actions.saveAllowance}
          onDone={actions.close}
        />
      );
    case 'allowed':
      return <AllowedStep {...props} granted={step.granted} onDone={actions.close} />;
    case 'failed':
      return <FailedStep {...props} reason={step.reason} onChooseAgain={buy} />;
    case 'bank':
      return <BankStep say={say} url={step.url} onBack={buy} />;
    case 'payment':
    case 'confirming':
    case 'processing':
      return <PaymentView {...props} step={step} />;
    default:
      return null;
  }
}

/** `accountUrl` is under the address of the service. */
const homeOf = ({ accountUrl }: Props): string => new URL(accountUrl).origin;

function LimitView({ onBuy, ...props }: Props & { onBuy(): void }) {
  const { visit, actions } = props;
  // Lifted a moment ago.
  if (visit.limited_by === null) return null;
  return (
    <LimitStep
      {...props}
      limit={visit.limited_by}
      home={homeOf(props)}
      onReturn={() => void actions.refresh()}
      onBuy={onBuy}
      onClose={actions.close}
    />
  );
}

type AmountProps = Props & { preset: number | null; typedCode: string | undefined };

function AmountView({ preset, ...props }: AmountProps) {
  const { visit, offer, actions, dispatch } = props;
  return (
    <AmountStep
      {...props}
      preset={preset}
      // A promotion code works with the form, which also shows saved cards after a recent confirmation.
      cards={visit.has_cards && offer === null ? props.cards : NO_CARDS}
      onPayWithCard={actions.payWithCard}
      onRemoveCard={actions.removeCard}
      onApplyCode={actions.applyCode}
      onRemoveCode={() => dispatch({ type: 'code_removed' })}
      onChoose={(amount, currency) => actions.startPayment(amount, currency, offer?.code)}
      onUseOwn={needsAllowance(visit) ? () => dispatch({ type: 'allowance_requested' }) : undefined}
    />
  );
}

function PaymentView({ step, ...props }: Props & { step: Extract<Step, { payment: Order }> }) {
  const { init, actions, dispatch } = props;
  const sessionId = step.payment.session_id;
  const onProcessing = () => dispatch({ type: 'payment_processing' });
  if (step.name === 'processing')
    return (
      <ProcessingStep {...props} sessionId={sessionId} onFinal={actions.endPayment} onClose={actions.close} />
    );
  if (step.name === 'confirming')
    return (
      <ConfirmingStep
        {...props}
        sessionId={sessionId}
        onProcessing={onProcessing}
        onFinal={actions.endPayment}
      />
    );
  if (step.name !== 'payment') return null;
  return (
    <PaymentStep
      {...props}
      payment={step.payment}
      isOpened={step.isOpened}
      isManual={init.checkout_mode === 'manual'}
      onSubmitted={() => dispatch({ type: 'payment_submitted' })}
      onProcessing={onProcessing}
      onFinal={actions.endPayment}
      onDeclined={actions.reportDecline}
      onBroken={actions.reportUnavailableForm}
      onBack={() => dispatch({ type: 'amount_requested' })}
    />
  );
}

type FailedProps = Props & {
  reason: Extract<Step, { name: 'failed' }>['reason'];
  onChooseAgain(): void;
};

function FailedStep({ say, language, reason, actions, onChooseAgain }: FailedProps) {
  const { title, text, canRetry } =
    reason === 'form_unavailable'
      ? { title: say.brokenTitle, text: say.brokenText, canRetry: true }
      : describeOutcome(reason, { say, language });
  return (
    <ProblemStep
      title={title}
      text={text}
      action={canRetry ? say.chooseAgain : say.close}
      onAction={canRetry ? onChooseAgain : actions.close}
    />
  );
}
