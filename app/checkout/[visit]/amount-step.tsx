'use client';

import { type FormEvent, useState } from 'react';
import { formatCredits, formatMoney } from '../../_ui/amount';
import { AmountTiles } from '../../_ui/amount-tiles';
import { Button } from '../../_ui/button';
import type { Language } from '../../_ui/language';
import { Notice } from '../../_ui/notice';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { VisitState } from './api';
import { Line } from './line';
import { creditsFor, describeRate, parseAmount } from './purchase-amount';

const DEFAULT_AMOUNT = 10;

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  preset: number | null;
  onChoose(amount: number, currency: string): Promise<string | undefined>;
  onUseOwn?: (() => void) | undefined;
};

export function AmountStep({ say, language, visit, preset, onChoose, onUseOwn }: Props) {
  const isPaused = visit.currency === 'eur' && visit.rates.eur === null;
  const currency = isPaused ? 'usd' : visit.currency;
  const rate = visit.rates[currency] ?? 1;
  const isPresetCustom = preset !== null && !visit.amounts.includes(preset);
  const [choice, setChoice] = useState<number | 'custom'>(
    isPresetCustom ? 'custom' : (preset ?? DEFAULT_AMOUNT),
  );
  const [custom, setCustom] = useState(isPresetCustom ? String(preset) : '');
  const [isChecked, setChecked] = useState(isPresetCustom);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);

  const money = (amount: number) => formatMoney(amount, currency, language);
  const [least, most] = [money(visit.minimum), money(visit.maximum)];
  const wanted = choice === 'custom' ? parseAmount(custom) : choice;
  const amount = wanted !== null && wanted >= visit.minimum && wanted <= visit.maximum ? wanted : null;

  const notes = [
    ...(currency === 'eur' ? [say.rate(...describeRate(rate, currency, language))] : []),
    ...(visit.includes_tax ? [say.taxIncluded] : []),
  ];

  async function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (amount === null || busy) return;
    setBusy(true);
    setFailure(await onChoose(amount, currency));
    setBusy(false);
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.amountTitle}</StepTitle>
      <p className="mt-1.5 mb-5 text-muted">{say.amountText(visit.app_name)}</p>
      {isPaused && (
        <div className="mb-4">
          <Notice>{say.eurPaused}</Notice>
        </div>
      )}
      <AmountTiles
        legend={<legend className="sr-only">{say.amountGroup}</legend>}
        amounts={visit.amounts}
        choice={choice}
        onChoose={setChoice}
        describe={(option) => ({
          money: money(option),
          credits: `${formatCredits(creditsFor(option, rate), language)} ${say.credits}`,
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
            value={custom}
            hint={say.amountRange(least, most)}
            error={isChecked && amount === null ? say.amountInvalid(least, most) : undefined}
            onChange={(event) => {
              setCustom(event.target.value);
              setChecked(false);
            }}
          />
        </div>
      )}
      <div className="mt-auto pt-6">
        {failure && (
          <div className="mb-4">
            <Notice kind="danger">{failure}</Notice>
          </div>
        )}
        <dl className="mb-4 grid gap-1.5 border-t border-line pt-4">
          <Line label={say.youPay}>{amount === null ? '–' : money(amount)}</Line>
          <Line label={say.youGet}>
            {amount === null ? '–' : `${formatCredits(creditsFor(amount, rate), language)} ${say.credits}`}
          </Line>
        </dl>
        {notes.length > 0 && <p className="-mt-2 mb-4 text-sm text-muted">{notes.join(' ')}</p>}
        <Button type="submit" size="large" busy={busy} className="w-full">
          {amount === null ? say.goOn : say.continue(money(amount))}
        </Button>
        {onUseOwn && (
          <Button look="quiet" className="mt-2 w-full" onClick={onUseOwn}>
            {say.useOwn}
          </Button>
        )}
      </div>
    </form>
  );
}
