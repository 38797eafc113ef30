'use client';

import { type FormEvent, useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { parseAmount } from '@/app/checkout/[visit]/purchase-amount';
import { nameCard } from '@/server/payments/checkout/card-name';
import { formatMinor, type TopUpTerms, writeConsent } from '@/server/payments/checkout/top-up/terms';
import { FIRST_CHOICE } from './first-choice';
import { endAutoTopUp, saveAutoTopUp } from './top-up-actions';

type Card = { id: string; brand: string; last4: string };
type Currency = TopUpTerms['currency'];
type Props = {
  brand: string;
  cards: Card[];
  currencies: Currency[];
  minimum: number;
  maximum: number;
  /** Or about to be, once the bank agrees. */
  isOn: boolean;
  saved: (TopUpTerms & { cardId: string }) | null;
};

const SIGN = { usd: '$', eur: '€' };
const NAMES = { usd: 'US dollar', eur: 'Euro' };

export function AutoTopUpForm(props: Props) {
  const { cards, currencies, isOn } = props;
  const form = useAutoTopUpForm(props);
  const { failure } = form;
  if (cards.length === 0 && !isOn)
    return <p className="text-sm text-muted">Add a card first. You can then turn auto top-up on here.</p>;
  return (
    <form onSubmit={form.submit} noValidate>
      <Fields form={form} cards={cards} currencies={currencies} />
      <div className="mt-4 rounded-lg bg-sunken px-4 py-3 text-sm">
        {form.consent ?? 'Fill in the form to read what you agree to.'}
      </div>
      {failure && ['consent', undefined].includes(failure.field) && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <ArmedButton type="submit" busy={form.isBusy}>
          {isOn ? 'Agree and save' : 'Agree and turn on'}
        </ArmedButton>
        {isOn && (
          <ConfirmButton
            label="Turn off"
            size="medium"
            title="Turn auto top-up off?"
            consequence="Your card is no longer charged automatically. A payment that waits for your confirmation is cancelled. You can turn it on again at any time."
            action={() => endAutoTopUp(undefined)}
          />
        )}
      </div>
    </form>
  );
}

type FieldsProps = Pick<Props, 'cards' | 'currencies'> & { form: ReturnType<typeof useAutoTopUpForm> };

function Fields({ form, cards, currencies }: FieldsProps) {
  const { typed, card, failure, change } = form;
  const errorOf = (field: string) => (failure?.field === field ? failure.message : undefined);
  return (
    <div className="fields sm:grid-cols-2">
      <TextField
        label="When I have fewer than"
        name="threshold"
        inputMode="numeric"
        autoComplete="off"
        value={typed.threshold}
        hint="All your credits, those bought in apps included. Amounts held for requests in progress do not count."
        error={errorOf('threshold')}
        onChange={(event) => change({ threshold: event.target.value })}
      />
      <TextField
        label="Buy credits for"
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        prefix={SIGN[typed.currency]}
        value={typed.amount}
        hint={`${form.range}. $1 buys 100 credits.`}
        error={errorOf('amount')}
        onChange={(event) => change({ amount: event.target.value })}
      />
      <TextField
        label="At most in a calendar month"
        name="ceiling"
        inputMode="decimal"
        autoComplete="off"
        prefix={SIGN[typed.currency]}
        value={typed.ceiling}
        hint="Months are in UTC. Only auto top-ups count."
        error={errorOf('ceiling')}
        onChange={(event) => change({ ceiling: event.target.value })}
      />
      <div>
        <SelectField
          label="With card"
          name="card"
          options={cards.map(({ id, ...rest }) => ({ value: id, label: nameCard(rest) }))}
          value={card?.id ?? ''}
          onChange={(event) => change({ cardId: event.target.value })}
        />
        {errorOf('card') && <p className="mt-1.5 text-sm text-danger">{errorOf('card')}</p>}
      </div>
      {currencies.length > 1 && (
        <SelectField
          label="Currency"
          name="currency"
          options={currencies.map((value) => ({ value, label: NAMES[value] }))}
          value={typed.currency}
          onChange={(event) => change({ currency: event.target.value as Currency })}
        />
      )}
    </div>
  );
}

/** What the user types, the words that they agree to, and the redirect to their bank. */
function useAutoTopUpForm({ brand, cards, minimum, maximum, saved }: Props) {
  const [typed, setTyped] = useState(() => writeFields(saved ?? FIRST_CHOICE, saved?.cardId ?? null));
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(saveAutoTopUp);
  const card = cards.find(({ id }) => id === typed.cardId) ?? cards[0] ?? null;
  const { terms, problem } = readTerms(typed);
  const [isChecked, setChecked] = useState(false);
  const consent = terms !== null && card !== null ? writeConsent(brand, terms, card) : null;

  async function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (terms === null || card === null || consent === null) return;
    const result = await run({ ...terms, cardId: card.id, consent });
    if (!result.ok || !result.value) return;
    setLeaving(true);
    window.location.assign(result.value.bankUrl);
  }

  function change(fields: Partial<Typed>) {
    setTyped({ ...typed, ...fields });
    setChecked(false);
    clearFailure();
  }

  const show = (amount: number) => formatMinor(amount * 100, typed.currency);
  const range = `${show(minimum)} to ${show(maximum)}`;
  const isBusy = isRunning || isLeaving;
  return {
    typed,
    card,
    consent,
    range,
    failure: isChecked ? (problem ?? failure) : failure,
    isBusy,
    submit,
    change,
  };
}

type Typed = {
  threshold: string;
  currency: Currency;
  amount: string;
  ceiling: string;
  cardId: string | null;
};

const writeFields = (terms: TopUpTerms, cardId: string | null): Typed => ({
  threshold: String(terms.threshold),
  currency: terms.currency,
  amount: String(terms.amountMinor / 100),
  ceiling: String(terms.ceilingMinor / 100),
  cardId,
});

type Read = { terms: TopUpTerms; problem: null } | { terms: null; problem: Problem };
type Problem = { field: keyof Typed; message: string };

function readTerms({ threshold, currency, amount, ceiling }: Typed): Read {
  const refuse = (field: keyof Typed, message: string): Read => ({
    terms: null,
    problem: { field, message },
  });
  if (!/^\d{1,7}$/.test(threshold.trim())) return refuse('threshold', 'Enter a whole number of credits.');
  const [each, most] = [parseAmount(amount), parseAmount(ceiling)];
  if (each === null) return refuse('amount', 'Enter an amount, such as 10.');
  if (most === null) return refuse('ceiling', 'Enter an amount, such as 50.');
  const inMinor = (major: number) => Math.round(major * 100);
  const terms = {
    threshold: Number(threshold),
    currency,
    amountMinor: inMinor(each),
    ceilingMinor: inMinor(most),
  };
  return { terms, problem: null };
}
