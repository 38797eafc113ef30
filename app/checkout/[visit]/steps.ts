import type { Payment, VisitState } from './api';

/** Where somebody stands in the checkout. */
export type Step =
  | { name: 'connecting' | 'lost' | 'broken' | 'sign_in' | 'key_failed' | 'permission' | 'amount' }
  /** Somebody known by a key only proves to be present, to permit more. */
  | { name: 'step_up'; back: Step | null }
  | { name: 'payment'; payment: Payment; isOpened: boolean }
  | { name: 'confirming'; payment: Payment }
  /** A bank takes its time. */
  | { name: 'processing'; payment: Payment }
  | { name: 'success'; payment: Payment; creditsAdded: number; balance: number; receiptId: string | null }
  | { name: 'allowed'; granted: number }
  /** `isOver`: trying again would not help. */
  | { name: 'failed'; title: string; text: string; isOver: boolean }
  | { name: 'account'; back: Step };

/** Steps that a close would tear money out of somebody's hands: it asks first. */
export function isPaying({ name }: Step): boolean {
  return name === 'payment' || name === 'confirming';
}

/** Of those, the ones in which only a person makes the window go: a form of Stripe may lead to a bank. */
export function isBoundToStay(step: Step): boolean {
  if (step.name === 'payment') return step.payment.payment.kind !== 'stripe';
  return isPaying(step);
}

/** Steps that the account view can be left to and come back from. */
export function hasAccount({ name }: Step): boolean {
  return name === 'permission' || name === 'amount' || name === 'success' || name === 'allowed';
}

export function needsPermission({ status }: VisitState): boolean {
  return status === 'partner_not_permitted' || status === 'partner_limit_reached';
}

/** A key alone does not let anybody set a limit: whoever it is has to sign in for that. */
export function firstStep(state: VisitState): Step {
  if (state.signed_in === null) return { name: 'sign_in' };
  if (!needsPermission(state)) return { name: 'amount' };
  return state.signed_in === 'key' ? { name: 'step_up', back: null } : { name: 'permission' };
}

/** After a step-up: what it was for, where there is something to permit. */
export function afterStepUp(state: VisitState, back: Step | null): Step {
  if (back?.name === 'account') return back;
  return (state.elsewhere ?? 0) >= 1 ? { name: 'permission' } : { name: 'amount' };
}
