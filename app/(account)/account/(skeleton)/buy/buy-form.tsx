'use client';

import { type FormEvent, Suspense, useState } from 'react';
import { formatCredits, formatMoney } from '@/app/_ui/amount';
import { AmountTiles } from '@/app/_ui/amount-tiles';
import { Notice } from '@/app/_ui/notice';
import type { ShownCard } from '@/app/_ui/saved-card';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { Line } from '@/app/checkout/[visit]/line';
import { PromotionField } from '@/app/checkout/[visit]/promotion-field';
import { bonusFor, creditsFor, type Offer, parseAmount } from '@/app/checkout/[visit]/purchase-amount';
import { ENGLISH } from '@/app/checkout/english';
import { checkCode, startPurchase } from './actions';
import { FormButton, PayButtons } from './pay-buttons';

type Currency = 'usd' | 'eur';
type Props = {
  presets: number[];
  minimum: number;
  maximum: number;
  /** USD per unit; null while the currency is unavailable. */
  rates: { usd: number; eur: number | null };
  /** Says that prices include tax, where they do. */
  taxNote: string | undefined;
  isSandbox: boolean;
  /** The app to buy for, if any. `limit` says why it cannot spend now. */
  app?: { partnerId: string; name: string; limit: string | null } | undefined;
  /** The saved cards to choose from. */
  cards: Promise<ShownCard[]>;
  /** Names this purchase. However often and in however many tabs it is clicked, it is paid once. */
  buttonId: string;
};

const FIRST_CHOICE = 10;
const SIGN = { usd: '$', eur: '€' };

export function BuyForm(props: Props) {
  const { presets, rates, taxNote, isSandbox, app, cards, buttonId } = props;
  const form = useBuyForm(props);
  const { currency, choice, amount, range, money, credits, failure } = form;
  const payment = { money: amount === null ? null : money(amount), isBusy: form.isBusy };
  function takeOrder() {
    form.check();
    return amount === null ? null : { amount, currency, partnerId: app?.partnerId, buttonId };
  }
  return (
    <form onSubmit={form.submit} noValidate>
      <AmountTiles
        legend={<legend className="mb-2 text-sm font-medium">Amount</legend>}
        amounts={presets}
        choice={choice}
        onChoose={form.setChoice}
        describe={(preset) => ({ money: money(preset), credits: `${credits(preset)} credits` })}
        customLabel="Other"
      />
      {choice === 'custom' && (
        <div className="mt-5">
          <TextField
            label="Other amount"
            name="amount"
            inputMode="decimal"
            autoComplete="off"
            autoFocus
            prefix={SIGN[currency]}
            value={form.typed}
            hint={range}
            error={form.isInvalid ? `Enter an amount from ${range}.` : undefined}
            onChange={(event) => form.type(event.target.value)}
          />
        </div>
      )}
      {rates.eur !== null && (
        <SelectField
          label="Currency"
          className="mt-5"
          options={[
            { value: 'usd', label: 'US dollar' },
            { value: 'eur', label: 'Euro' },
          ]}
          value={currency}
          onChange={(event) => form.setCurrency(event.target.value as Currency)}
        />
      )}
      <Summary form={form} />
      <p className="mt-3 text-sm text-muted">
        {taxNote} {describePlace(app)}
      </p>
      {failure && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {form.offer === null ? (
        <Suspense fallback={<FormButton {...payment} />}>
          <PayButtons {...payment} cards={cards} takeOrder={takeOrder} />
        </Suspense>
      ) : (
        // A promotion code works with the processor's page, which also shows saved cards.
        <FormButton {...payment} />
      )}
      {isSandbox && (
        <p className="mt-3 text-center text-[13px] text-muted">
          Sandbox: pay with card <span className="whitespace-nowrap">4242 4242 4242 4242</span>. No real money
          moves.
        </p>
      )}
    </form>
  );
}

function describePlace(app: Props['app']): string {
  if (app === undefined)
    return 'These credits are not tied to an app. An app can spend them once you give it an allowance.';
  const when = app.limit === null ? `${app.name} can spend these credits right away.` : app.limit;
  return `${when} Another app can spend them once you give it an allowance.`;
}

/** What is paid and received, and the promotion code that adds to it. */
function Summary({ form }: { form: ReturnType<typeof useBuyForm> }) {
  const { amount, money, credits } = form;
  return (
    <>
      <dl className="mt-5 grid gap-1.5 border-t border-line pt-4">
        <Line label="You pay">{amount === null ? '–' : money(amount)}</Line>
        <Line label="You get">{amount === null ? '–' : `${credits(amount)} credits`}</Line>
        {form.bonus > 0 && <Line label="Bonus credits">+{formatCredits(form.bonus, 'en')}</Line>}
      </dl>
      <div className="mt-3">
        <PromotionField
          say={ENGLISH.say}
          language="en"
          offer={form.offer}
          hasBonus={form.bonus > 0}
          onApply={form.applyCode}
          onRemove={form.removeCode}
        />
      </div>
    </>
  );
}

/** The amount and currency being chosen, and the redirect to the payment page. */
function useBuyForm({ minimum, maximum, rates, app }: Props) {
  const [currency, setCurrency] = useState<Currency>('usd');
  const [choice, setChoice] = useState<number | 'custom'>(FIRST_CHOICE);
  const [typed, setTyped] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(startPurchase);
  const { offer, ...code } = usePromotionCode(app?.partnerId);

  const money = (amount: number) => formatMoney(amount, currency, 'en');
  const bought = (amount: number) => creditsFor(amount, rates[currency] ?? 1);
  const credits = (amount: number) => formatCredits(bought(amount), 'en');
  const wanted = choice === 'custom' ? parseAmount(typed) : choice;
  const amount = wanted !== null && wanted >= minimum && wanted <= maximum ? wanted : null;
  const range = `${money(minimum)} to ${money(maximum)}`;

  async function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (amount === null) return;
    const started = await run({
      amount,
      currency,
      promotionCode: offer?.code,
      partnerId: app?.partnerId,
    });
    if (!started.ok || !started.value) return;
    setLeaving(true);
    window.location.assign(started.value.checkoutUrl);
  }

  function type(text: string) {
    setTyped(text);
    setChecked(false);
    clearFailure();
  }

  const isInvalid = isChecked && amount === null;
  const isBusy = isRunning || isLeaving;
  return {
    currency,
    choice,
    typed,
    amount,
    range,
    isInvalid,
    isBusy,
    failure,
    money,
    credits,
    setCurrency,
    setChoice,
    type,
    check: () => setChecked(true),
    submit,
    ...code,
    offer,
    bonus: offer === null || amount === null ? 0 : bonusFor(offer, bought(amount)),
  };
}

function usePromotionCode(partnerId: string | undefined) {
  const { run } = useAction(checkCode);
  const [offer, setOffer] = useState<Offer | null>(null);

  async function applyCode(code: string): Promise<string | undefined> {
    const checked = await run({ code, partnerId });
    if (!checked.ok) return checked.message;
    setOffer(checked.value ?? null);
    return undefined;
  }

  return { offer, applyCode, removeCode: () => setOffer(null) };
}
