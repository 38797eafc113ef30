import type { Words } from '../messages';
import { type Api, type CardChoice, type CardPayment, failureCode } from './api';
import type { CheckoutEvent } from './checkout-state';
import { describeCardFailure } from './describe-failure';
import type { HostLink } from './use-host';

type Context = {
  api: Api;
  host: HostLink;
  words: Words;
  dispatch(event: CheckoutEvent): void;
};

const NOTHING_BOUGHT = { credits_added: 0, balance: 0, can_spend: false, limited_by: null };

/** The actions of the user with saved cards. */
export function createCardActions({ api, host, words, dispatch }: Context) {
  /** Without its cards, a user pays with the form. */
  async function readCards(): Promise<void> {
    dispatch({ type: 'cards_read', cards: await api.readCards().catch(() => []) });
  }

  async function payWithCard(choice: CardChoice): Promise<string | undefined> {
    try {
      report(await api.payWithCard(choice, words.language));
      return undefined;
    } catch (error) {
      if (failureCode(error) === 'step_up_required') {
        dispatch({ type: 'card_step_up_requested', amount: choice.amount });
        return undefined;
      }
      if (failureCode(error) === 'not_found') dispatch({ type: 'card_removed', cardId: choice.cardId });
      host.send({
        t: 'purchase_error',
        error: { code: failureCode(error), message: 'The payment could not be started.' },
      });
      return describeCardFailure(error, words);
    }
  }

  function report({ status, failure, bank_url: bankUrl, ...payment }: CardPayment): void {
    host.send({ t: 'checkout_opened', session_id: payment.session_id, checkout_url: null });
    if (bankUrl !== null) {
      dispatch({ type: 'bank_asked', url: bankUrl });
      return window.location.assign(bankUrl);
    }
    if (status !== 'failed' && status !== 'expired') return dispatch({ type: 'card_charged', payment });
    host.send({ t: 'purchase_error', error: { code: 'payment_failed', message: 'The payment failed.' } });
    const reason = { ...NOTHING_BOUGHT, status, ...(failure !== undefined && { failure }) };
    dispatch({ type: 'card_declined', reason });
  }

  async function removeCard(cardId: string, amount: number): Promise<string | undefined> {
    try {
      await api.removeCard(cardId);
      dispatch({ type: 'card_removed', cardId });
      return undefined;
    } catch (error) {
      if (failureCode(error) !== 'step_up_required') return describeCardFailure(error, words);
      dispatch({ type: 'card_step_up_requested', amount });
      return undefined;
    }
  }

  return { readCards, payWithCard, removeCard };
}
