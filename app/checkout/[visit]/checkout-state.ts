import type { Challenge } from '../../_ui/code-entry';
import type { ShownCard } from '../../_ui/saved-card';
import type { AllowanceChoice, Order, Payment, PaymentStatus, VisitState } from './api';
import type { Offer } from './purchase-amount';

/** The step of the checkout a user is at. */
export type Step =
  | { name: 'connecting' | 'lost' | 'broken' | 'sign_in' | 'allowance' }
  /** The app did not receive its key. */
  | { name: 'key_failed'; next: Step }
  /** Something refuses every request, which no purchase changes. */
  | { name: 'limit'; next: Step }
  | AmountStep
  /** The user has to confirm their identity to set an allowance or to use a saved card. */
  | { name: 'step_up'; back: Step | null }
  /** A code was mailed that permits the chosen allowance. */
  | { name: 'allowance_code'; choice: AllowanceChoice; challenge: Challenge; back: Step }
  | { name: 'payment'; payment: Payment; isOpened: boolean }
  /** The bank wants the user to confirm the payment on its own page. */
  | { name: 'bank'; url: string }
  | { name: 'confirming'; payment: Order }
  /** The bank has accepted the payment and settles it later. */
  | { name: 'processing'; payment: Order }
  | { name: 'success'; payment: Order; outcome: PaymentStatus }
  | { name: 'allowed'; granted: number }
  | { name: 'failed'; reason: PaymentStatus | 'form_unavailable' }
  | { name: 'account'; back: Step };

/** What was chosen and typed before. The code has not been applied. */
type AmountStep = { name: 'amount'; amount?: number; code?: string };

export type CheckoutState = {
  /** Null until it has been read. */
  visit: VisitState | null;
  /** The user's saved cards. Null until they have been read. */
  cards: ShownCard[] | null;
  step: Step;
  /** The user wants to close the window during a payment and is asked to confirm. */
  isLeaving: boolean;
  /** Of the promotion code that the user entered. */
  offer: Offer | null;
};

export type CheckoutEvent =
  | { type: 'connecting' }
  | { type: 'visit_read'; visit: VisitState }
  | { type: 'visit_refreshed'; visit: VisitState }
  | { type: 'visit_failed'; isLost: boolean }
  /** `hasKey`: the app received its user key. */
  | { type: 'signed_in'; visit: VisitState; hasKey: boolean }
  | { type: 'key_delivered' }
  | { type: 'signed_out'; visit: VisitState }
  | { type: 'step_up_requested' }
  | { type: 'allowance_requested' }
  | { type: 'allowance_code_sent'; choice: AllowanceChoice; challenge: Challenge }
  | { type: 'allowance_saved'; granted: number }
  | { type: 'amount_requested' }
  | { type: 'code_applied'; offer: Offer }
  | { type: 'code_removed' }
  | { type: 'code_step_up_requested'; amount: number | undefined; code: string }
  | { type: 'cards_read'; cards: ShownCard[] }
  | { type: 'card_removed'; cardId: string }
  | { type: 'card_step_up_requested'; amount: number }
  | { type: 'card_charged'; payment: Order }
  | { type: 'bank_asked'; url: string }
  | { type: 'card_declined'; reason: PaymentStatus }
  | { type: 'payment_started'; payment: Payment; isOpened: boolean }
  | { type: 'payment_submitted' }
  | { type: 'payment_processing' }
  | { type: 'payment_ended'; outcome: PaymentStatus }
  | { type: 'payment_unavailable' }
  | { type: 'account_opened' }
  | { type: 'went_back' }
  | { type: 'close_requested' }
  | { type: 'close_dismissed' };

export const INITIAL_STATE: CheckoutState = {
  visit: null,
  cards: null,
  offer: null,
  step: { name: 'connecting' },
  isLeaving: false,
};

export function reduce(state: CheckoutState, event: CheckoutEvent): CheckoutState {
  const visit = 'visit' in event ? event.visit : state.visit;
  const step = nextStep({ ...state, visit }, event);
  const wantsToLeave =
    event.type === 'close_requested' || (state.isLeaving && event.type !== 'close_dismissed');
  return {
    visit,
    cards: nextCards(state.cards, event),
    offer: nextOffer(state, event),
    step,
    isLeaving: wantsToLeave && isPaying(step),
  };
}

/** A code is for the user who entered it, and for one purchase. */
function nextOffer({ offer, visit }: CheckoutState, event: CheckoutEvent): Offer | null {
  if (event.type === 'code_applied') return event.offer;
  if (event.type === 'signed_in') return event.visit.email === visit?.email ? offer : null;
  if (event.type === 'payment_ended') return event.outcome.status === 'completed' ? null : offer;
  return event.type === 'code_removed' || event.type === 'signed_out' ? null : offer;
}

/** Another user's cards must not remain. */
function nextCards(cards: ShownCard[] | null, event: CheckoutEvent): ShownCard[] | null {
  switch (event.type) {
    case 'connecting':
    case 'visit_read':
    case 'signed_in':
    case 'signed_out':
      return null;
    case 'cards_read':
      return event.cards;
    case 'card_removed':
      return cards?.filter(({ id }) => id !== event.cardId) ?? null;
    default:
      return cards;
  }
}

function nextStep({ visit, step }: CheckoutState, event: CheckoutEvent): Step {
  switch (event.type) {
    case 'connecting':
      return { name: 'connecting' };
    case 'visit_read':
      return firstStep(event.visit);
    case 'visit_refreshed':
      return step.name === 'limit' && event.visit.limited_by === null ? resume(event.visit, step.next) : step;
    case 'visit_failed':
      return { name: event.isLost ? 'lost' : 'broken' };
    case 'signed_in':
      return afterSignIn(event, step);
    case 'signed_out':
      return { name: 'sign_in' };
    case 'key_delivered':
      return step.name === 'key_failed' ? step.next : step;
    case 'allowance_requested':
      return visit ? firstStep(visit) : step;
    case 'step_up_requested':
      return { name: 'step_up', back: step };
    case 'allowance_code_sent':
      return {
        name: 'allowance_code',
        choice: event.choice,
        challenge: event.challenge,
        back: step.name === 'allowance_code' ? step.back : step,
      };
    case 'allowance_saved':
      return { name: 'allowed', granted: event.granted };
    case 'amount_requested':
      return step.name === 'limit' && step.next.name === 'amount' ? step.next : { name: 'amount' };
    case 'card_step_up_requested':
      return { name: 'step_up', back: { name: 'amount', amount: event.amount } };
    case 'code_step_up_requested':
      return { name: 'step_up', back: chosen(event) };
    case 'account_opened':
      return hasAccount(step) ? { name: 'account', back: step } : step;
    case 'went_back':
      return ('back' in step && step.back) || step;
    default:
      return afterPaymentEvent(step, event);
  }
}

function afterPaymentEvent(step: Step, event: CheckoutEvent): Step {
  if (event.type === 'payment_started')
    return { name: 'payment', payment: event.payment, isOpened: event.isOpened };
  if (event.type === 'payment_unavailable') return { name: 'failed', reason: 'form_unavailable' };
  if (event.type === 'card_charged') return { name: 'confirming', payment: event.payment };
  if (event.type === 'bank_asked') return { name: 'bank', url: event.url };
  if (event.type === 'card_declined') return { name: 'failed', reason: event.reason };
  if (step.name !== 'payment' && step.name !== 'confirming' && step.name !== 'processing') return step;
  const { payment } = step;
  switch (event.type) {
    case 'payment_submitted':
      return { name: 'confirming', payment };
    case 'payment_processing':
      return { name: 'processing', payment };
    case 'payment_ended':
      return afterPayment(payment, event.outcome);
    default:
      return step;
  }
}

function afterPayment(payment: Order, outcome: PaymentStatus): Step {
  if (outcome.status !== 'completed') return { name: 'failed', reason: outcome };
  return { name: 'success', payment, outcome };
}

function afterSignIn({ visit, hasKey }: { visit: VisitState; hasKey: boolean }, step: Step): Step {
  const next = step.name === 'step_up' ? afterStepUp(visit, step.back) : firstStep(visit);
  return hasKey ? next : { name: 'key_failed', next };
}

/** After a step-up the user returns to what it was for, or sets an allowance if there is one to set. */
function afterStepUp(visit: VisitState, back: Step | null): Step {
  if (back?.name === 'account') return back;
  const next = back?.name === 'amount' ? back : null;
  if (visit.limited_by !== null) return { name: 'limit', next: next ?? AMOUNT };
  return next ?? ((visit.elsewhere ?? 0) >= 1 ? { name: 'allowance' } : AMOUNT);
}

const AMOUNT: Step = { name: 'amount' };

function chosen({ amount, code }: { amount: number | undefined; code: string }): AmountStep {
  return { name: 'amount', code, ...(amount !== undefined && { amount }) };
}

/**
 * What refuses every request comes first, and needs no code. A user identified by a key alone has to sign in before
 * setting an allowance.
 */
function firstStep(visit: VisitState): Step {
  if (visit.signed_in === null) return { name: 'sign_in' };
  if (visit.limited_by !== null) return { name: 'limit', next: AMOUNT };
  if (!needsAllowance(visit)) return AMOUNT;
  return visit.signed_in === 'key' ? { name: 'step_up', back: null } : { name: 'allowance' };
}

/** Once the user has lifted the limit. */
const resume = (visit: VisitState, next: Step): Step =>
  next.name === 'amount' && (next.amount ?? next.code) !== undefined ? next : firstStep(visit);

export function needsAllowance({ status, limited_by }: VisitState): boolean {
  if (limited_by !== null) return false;
  return status === 'partner_not_permitted' || status === 'partner_limit_reached';
}

/** Whether a payment may be in progress, so that closing needs a confirmation. */
export function isPaying({ name }: Step): boolean {
  return name === 'payment' || name === 'confirming';
}

/** Whether only the user can cause the window to unload. Stripe may redirect its form to a bank. */
export function guardsUnload(step: Step): boolean {
  if (step.name === 'payment') return step.payment.payment.kind !== 'stripe';
  return isPaying(step);
}

/** Steps from which the account can be opened without losing anything. */
export function hasAccount({ name }: Step): boolean {
  return (
    name === 'limit' || name === 'allowance' || name === 'amount' || name === 'success' || name === 'allowed'
  );
}
