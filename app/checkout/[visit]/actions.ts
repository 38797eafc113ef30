import { textOf } from '@/texts/say';
import type { Words } from '../messages';
import { type AllowanceChoice, type Api, failureCode, type PaymentStatus, type VisitState } from './api';
import { createCardActions } from './card-actions';
import type { CheckoutEvent } from './checkout-state';
import { describeCodeFailure, describeFailure } from './describe-failure';
import type { HostLink } from './use-host';

type Context = {
  api: Api;
  host: HostLink;
  words: Words;
  dispatch(event: CheckoutEvent): void;
};

export type Actions = ReturnType<typeof createActions>;

/**
 * The actions of the user in the checkout. Each one calls the server, informs the page that embeds us, and
 * reports the outcome as an event. Forms get a message when a call fails.
 */
export function createActions({ api, host, words, dispatch }: Context) {
  const { say, language } = words;
  const close = (): void => host.send({ t: 'close' });
  const reportPurchaseError = (code: string, message: string): void =>
    host.send({ t: 'purchase_error', error: { code, message } });

  async function start(): Promise<void> {
    dispatch({ type: 'connecting' });
    try {
      dispatch({ type: 'visit_read', visit: await recognise(await api.readVisit()) });
    } catch (error) {
      dispatch({ type: 'visit_failed', isLost: failureCode(error) === 'not_found' });
    }
  }

  /**
   * A key that the app already holds identifies the user; the server compares it with who is signed in. An app without
   * one gets a key if the user is signed in.
   */
  async function recognise(visit: VisitState): Promise<VisitState> {
    const { heldKey } = host;
    if (heldKey === null) return deliverKey(visit);
    try {
      return (await api.recognise(heldKey)).state;
    } catch (error) {
      if (failureCode(error) !== 'invalid_user_key') return visit;
      // A key that no longer works is dropped silently; the user signs in again.
      host.send({ t: 'forget_key' });
      return deliverKey(visit);
    }
  }

  async function deliverKey(visit: VisitState): Promise<VisitState> {
    if (visit.signed_in !== 'session') return visit;
    const { sign_in_token: token } = await api.issueToken();
    await host.deliverToken(token);
    return visit;
  }

  async function refresh(): Promise<void> {
    const visit = await api.readVisit().catch(() => null);
    if (visit) dispatch({ type: 'visit_refreshed', visit });
  }

  async function finishSignIn(result: { sign_in_token: string; state: VisitState }): Promise<void> {
    const hasKey = await host.deliverToken(result.sign_in_token);
    dispatch({ type: 'signed_in', visit: result.state, hasKey });
  }

  async function deliverKeyAgain(): Promise<void> {
    const token = await api.issueToken().catch(() => null);
    if (token && (await host.deliverToken(token.sign_in_token))) dispatch({ type: 'key_delivered' });
  }

  /** The amount that was chosen outlives a confirmation, as the code does. */
  async function applyCode(code: string, amount?: number): Promise<string | undefined> {
    try {
      const found = await api.readOffer(code);
      if ('refused' in found) return textOf(say.codeRefusals, found.refused) ?? say.wrong;
      dispatch({ type: 'code_applied', offer: found.offer });
      return undefined;
    } catch (error) {
      if (failureCode(error) !== 'step_up_required') return describeFailure(error, words);
      dispatch({ type: 'code_step_up_requested', amount, code });
      return undefined;
    }
  }

  /** Why a payment with a code could not start: the code may have been used up since it was entered. */
  async function describePaymentFailure(error: unknown, code: string | undefined): Promise<string> {
    if (code === undefined || failureCode(error) !== 'invalid_request') return describeFailure(error, words);
    const refusal = await applyCode(code);
    if (refusal === undefined) return say.wrong;
    dispatch({ type: 'code_removed' });
    return refusal;
  }

  async function startPayment(
    amount: number,
    currency: string,
    code: string | undefined,
  ): Promise<string | undefined> {
    const { checkout_mode: checkoutMode } = host.init;
    // Browsers only open a tab within the click itself.
    const tab = checkoutMode === 'new_tab' ? window.open('', '_blank') : null;
    try {
      const payment = await api.startPayment({ amount, currency, checkoutMode, language, code });
      if (tab && payment.checkout_url !== null) sendTo(tab, payment.checkout_url);
      host.send({
        t: 'checkout_opened',
        session_id: payment.session_id,
        checkout_url: checkoutMode === 'manual' ? payment.checkout_url : null,
      });
      dispatch({ type: 'payment_started', payment, isOpened: tab !== null });
      return undefined;
    } catch (error) {
      tab?.close();
      reportPurchaseError(failureCode(error), 'The payment could not be started.');
      return describePaymentFailure(error, code);
    }
  }

  function endPayment(outcome: PaymentStatus): void {
    const { status, balance, credits_added } = outcome;
    if (status === 'completed') {
      host.send({ t: 'credits_added', type: 'purchase', balance, credits_added });
      void refresh();
    } else {
      // The app learns that the payment failed, not why the bank declined it.
      const message = status === 'expired' ? 'The payment has expired.' : 'The payment failed.';
      reportPurchaseError(`payment_${status}`, message);
    }
    dispatch({ type: 'payment_ended', outcome });
  }

  function reportDecline(): void {
    reportPurchaseError('payment_declined', 'The payment was declined.');
  }

  function reportUnavailableForm(): void {
    reportPurchaseError('payment_unavailable', 'The payment form could not be shown.');
    dispatch({ type: 'payment_unavailable' });
  }

  /** With a code, if the server asked for one before. */
  async function saveAllowance(
    choice: AllowanceChoice,
    confirmation?: { challenge_id: string; code: string },
  ): Promise<string | undefined> {
    try {
      const outcome = await api.saveAllowance(choice, language, confirmation);
      if ('challenge_id' in outcome) {
        const challenge = { id: outcome.challenge_id, resendInSeconds: outcome.resend_in };
        dispatch({ type: 'allowance_code_sent', choice, challenge });
        return undefined;
      }
      const { granted_credits: granted, balance, credits_added } = outcome;
      host.send({ t: 'credits_added', type: 'permission', balance, credits_added });
      await refresh();
      dispatch({ type: 'allowance_saved', granted });
      return undefined;
    } catch (error) {
      if (failureCode(error) !== 'step_up_required') return describeCodeFailure(error, words);
      dispatch({ type: 'step_up_requested' });
      return undefined;
    }
  }

  async function signOut(): Promise<void> {
    const response = await api.signOut().catch(() => null);
    if (!response) return dispatch({ type: 'visit_failed', isLost: false });
    host.send({ t: 'logged_out' });
    dispatch({ type: 'signed_out', visit: response.state });
  }

  /** The user continues to pay. A later attempt to close the window asks for confirmation again. */
  function stay(): void {
    dispatch({ type: 'close_dismissed' });
    host.send({ t: 'paying', paying: true });
  }

  return {
    ...createCardActions({ api, host, words, dispatch }),
    start,
    refresh,
    finishSignIn,
    deliverKeyAgain,
    applyCode,
    startPayment,
    endPayment,
    reportDecline,
    reportUnavailableForm,
    saveAllowance,
    signOut,
    stay,
    close,
  };
}

/** The new tab gets no reference to this window. */
function sendTo(tab: Window, url: string): void {
  tab.opener = null;
  tab.location.replace(url);
}
