'use client';

import { type FormEvent, useState } from 'react';
import { nameCard } from '@/server/payments/checkout/card-name';
import type { Language } from '@/texts/languages';
import { joinSentences } from '@/texts/say';
import { countCredits, formatCredits, formatMoney } from '../../_ui/amount';
import { AmountTiles } from '../../_ui/amount-tiles';
import { ArmedButton } from '../../_ui/armed-button';
import { Button } from '../../_ui/button';
import { Notice } from '../../_ui/notice';
import type { ShownCard } from '../../_ui/saved-card';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { CardChoice as CardOrder, VisitState } from './api';
import { CardChoice } from './card-choice';
import { describeLimit } from './describe-limit';
import { Line } from './line';
import { PromotionField } from './promotion-field';
import { bonusFor, countAnswers, creditsFor, describeRate, type Offer, parseAmount } from './purchase-amount';
import { newSaveId } from './save-id';
import { StepActions } from './step-actions';

const DEFAULT_AMOUNT = 10;

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  preset: number | null;
  /** Of the promotion code, if one was entered. */
  offer: Offer | null;
  /** Entered before the user confirmed their identity. */
  typedCode: string | undefined;
  onApplyCode(code: string, amount?: number): Promise<string | undefined>;
  onRemoveCode(): void;
  /** The saved cards to choose from. Null while they are being read. */
  cards: ShownCard[] | null;
  onPayWithCard(choice: CardOrder): Promise<string | undefined>;
  onRemoveCard(cardId: string, amount: number): Promise<string | undefined>;
  onChoose(amount: number, currency: string): Promise<string | undefined>;
  onUseOwn?: (() => void) | undefined;
};

export function AmountStep(props: Props) {
  const { say, visit, onUseOwn } = props;
  const form = useAmountForm(props);
  const { currency, amount, choice, isPaused, money, credits } = form;
  const [least, most] = [money(visit.minimum), money(visit.maximum)];
  return (
    <form onSubmit={form.submit} noValidate className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.amountTitle}</StepTitle>
      <p className="mt-1.5 mb-5 text-muted">{say.amountText({ app: visit.app_name })}</p>
      <AmountNotices {...props} isPaused={isPaused} />
      <AmountTiles
        legend={<legend className="sr-only">{say.amountGroup}</legend>}
        amounts={visit.amounts}
        choice={choice}
        onChoose={form.choose}
        describe={(option) => ({
          money: money(option),
          credits: credits(option),
        })}
        customLabel={say.amountCustom}
      />
      {choice === 'custom' && (
        <div className="mt-4">
          <TextField
            label={say.amountCustom}
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            autoFocus
            prefix={currency === 'eur' ? '€' : '$'}
            value={form.typed}
            hint={say.amountRange({ least, most })}
            error={form.isInvalid ? say.amountInvalid({ least, most }) : undefined}
            onChange={(event) => form.type(event.target.value)}
          />
        </div>
      )}
      <div className="mt-auto pt-5">
        <dl className="mb-3 grid gap-1.5 border-t border-line pt-4">
          <Line label={say.youPay}>{amount === null ? '–' : money(amount)}</Line>
          <Line label={say.youGet}>{amount === null ? '–' : credits(amount)}</Line>
          {form.bonus > 0 && <Line label={say.bonus}>+{formatCredits(form.bonus, props.language)}</Line>}
        </dl>
        {form.notes !== '' && <p className="mb-2 text-sm text-muted">{form.notes}</p>}
        <PromotionField
          {...props}
          hasBonus={form.bonus > 0}
          entered={props.typedCode}
          // Confirmed by now; a user who went back instead decides again.
          appliesEntered={visit.signed_in === 'session'}
          onApply={(code) => props.onApplyCode(code, amount ?? undefined)}
          onRemove={props.onRemoveCode}
        />
        {onUseOwn && (
          <Button look="quiet" size="small" className="-mt-2 mb-2 -ml-3" onClick={onUseOwn}>
            {say.useOwn}
          </Button>
        )}
      </div>
      <StepActions>
        {form.failure && (
          <div className="mb-4">
            <Notice kind="danger">{form.failure}</Notice>
          </div>
        )}
        <PayButtons {...props} form={form} />
      </StepActions>
    </form>
  );
}

/** What the buyer should know before choosing an amount. */
function AmountNotices({ say, language, visit, isPaused }: Props & { isPaused: boolean }) {
  const { limited_by: limit, app_name: app } = visit;
  return (
    <>
      {limit !== null && (
        <div className="mb-4">
          <Notice kind="warning">
            {joinSentences(language, [describeLimit(limit, { say, language, app }), say.limitNotLifted])}
          </Notice>
        </div>
      )}
      {isPaused && (
        <div className="mb-4">
          <Notice>{say.eurPaused}</Notice>
        </div>
      )}
    </>
  );
}

type ButtonProps = Props & { form: ReturnType<typeof useAmountForm> };

/**
 * With a saved card, one click pays. Enter in the amount never does: it leads to the form, like the button for
 * another payment method.
 */
function PayButtons({ say, language, cards, form, onPayWithCard, onRemoveCard }: ButtonProps) {
  const [chosenId, setChosenId] = useState<string>();
  const [payId] = useState(newSaveId);
  const { amount, currency, money } = form;
  const card = cards?.find(({ id }) => id === chosenId) ?? cards?.[0];
  const isReading = cards === null;
  const pay = () =>
    card &&
    form.attempt('card', (valid) =>
      // Another card or amount is another purchase.
      onPayWithCard({ amount: valid, currency, cardId: card.id, payId: `${payId}-${valid}-${card.id}` }),
    );
  return (
    <>
      {cards && card && (
        <CardChoice
          say={say}
          language={language}
          cards={cards}
          card={card}
          onChoose={setChosenId}
          onRemove={async ({ id }) => form.report(await onRemoveCard(id, amount ?? DEFAULT_AMOUNT))}
        />
      )}
      {(isReading || card) && (
        <ArmedButton size="large" busy={isReading || form.busy === 'card'} onClick={pay} className={PAY_LOOK}>
          {card && amount !== null
            ? say.cardPay({ money: money(amount), card: nameCard(card) })
            : say.cardsLoading}
        </ArmedButton>
      )}
      <ArmedButton
        type="submit"
        look={isReading || card ? 'secondary' : 'primary'}
        size="large"
        busy={form.busy === 'form'}
        className="w-full"
      >
        {isReading || card
          ? say.cardOther
          : amount === null
            ? say.goOn
            : say.continue({ money: money(amount) })}
      </ArmedButton>
    </>
  );
}

/** A long card name takes two lines on a phone. */
const PAY_LOOK = 'mb-2 h-auto! min-h-12 w-full py-2 whitespace-normal!';

/** The amount being chosen: one of the presets or a custom one, in a currency that can be paid in. */
function useAmountForm({ say, language, visit, preset, offer, onChoose }: Props) {
  const isPaused = visit.currency === 'eur' && visit.rates.eur === null;
  const currency = isPaused ? 'usd' : visit.currency;
  const rate = visit.rates[currency] ?? 1;
  const isPresetCustom = preset !== null && !visit.amounts.includes(preset);
  const [choice, setChoice] = useState<number | 'custom'>(
    isPresetCustom ? 'custom' : (preset ?? DEFAULT_AMOUNT),
  );
  const [typed, setTyped] = useState(isPresetCustom ? String(preset) : '');
  const [isChecked, setChecked] = useState(isPresetCustom);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState<'card' | 'form' | null>(null);

  const wanted = choice === 'custom' ? parseAmount(typed) : choice;
  const amount = wanted !== null && wanted >= visit.minimum && wanted <= visit.maximum ? wanted : null;
  const bought = amount === null ? 0 : creditsFor(amount, rate);
  const bonus = offer === null ? 0 : bonusFor(offer, bought);
  const answers = visit.answer === null ? null : countAnswers(bought + bonus, visit.answer.credits);
  const notes = [
    ...(visit.answer !== null && answers !== null
      ? [say.answers({ count: answers, model: visit.answer.model })]
      : []),
    ...(currency === 'eur' ? [say.rate(describeRate(rate, currency, language))] : []),
    ...(visit.includes_tax ? [say.taxIncluded] : []),
  ];

  async function attempt(how: 'card' | 'form', work: (amount: number) => Promise<string | undefined>) {
    setChecked(true);
    if (amount === null || busy !== null) return;
    setBusy(how);
    setFailure(await work(amount));
    setBusy(null);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    void attempt('form', (valid) => onChoose(valid, currency));
  }

  return {
    isPaused,
    currency,
    amount,
    choice,
    typed,
    failure,
    busy,
    attempt,
    submit,
    report: setFailure,
    notes: joinSentences(language, notes),
    bonus: amount === null ? 0 : bonus,
    isInvalid: isChecked && amount === null,
    money: (value: number) => formatMoney(value, currency, language),
    credits: (value: number) => say.credits({ count: countCredits(creditsFor(value, rate), language) }),
    choose: setChoice,
    type(text: string) {
      setTyped(text);
      setChecked(false);
    },
  };
}
