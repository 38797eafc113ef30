'use client';

import { type FormEvent, useRef, useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits, formatCredits, UNKNOWN_COUNT } from '../../_ui/amount';
import { ArmedButton } from '../../_ui/armed-button';
import { Button } from '../../_ui/button';
import { Notice } from '../../_ui/notice';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import { StepTitle } from '../step-title';
import type { AllowanceChoice, VisitState } from './api';
import { LimitList } from './limit-list';
import { newSaveId } from './save-id';
import { StepActions } from './step-actions';

const SUGGESTIONS = [100, 500, 1000];
/** Worth $1. A click that a user did not mean to make permits no more than this. */
const PREFILLED = 100;

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  onAllow(choice: AllowanceChoice): Promise<string | undefined>;
  onBuy(): void;
};

/** "Allow <app> to use up to N of your credits", with buying credits for it as the alternative. */
export function AllowanceStep({ say, language, visit, onAllow, onBuy }: Props) {
  const most = Math.floor(visit.money ?? 0);
  const show = (credits: number) => formatCredits(credits, language);
  const [typed, setTyped] = useState(String(Math.min(most, PREFILLED)));
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  // The same id is sent again after a lost response, so that the save is booked once.
  const choice = useRef<AllowanceChoice | null>(null);

  const credits = /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : 0;
  const isValid = credits >= 1 && credits <= most;

  function choose(text: string) {
    setTyped(text);
    setChecked(false);
  }

  async function submit(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (!isValid || busy) return;
    if (choice.current?.credits !== credits) choice.current = { credits, saveId: newSaveId() };
    setBusy(true);
    setFailure(await onAllow(choice.current));
    setBusy(false);
  }

  return (
    <form onSubmit={submit} noValidate className="animate-appear flex flex-1 flex-col">
      <StepTitle>{say.allowanceTitle({ app: visit.app_name })}</StepTitle>
      <p className="mt-1.5 mb-6 text-muted">
        {(visit.status === 'partner_limit_reached' ? say.allowanceUsedUp : say.allowanceText)({
          count: countCredits(visit.money ?? 0, language),
        })}
      </p>
      {visit.limits.length > 0 && (
        <div className="mb-6">
          <LimitList say={say} language={language} limits={visit.limits} />
        </div>
      )}
      <TextField
        label={say.allowanceField}
        name="credits"
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        hint={say.allowanceHint}
        error={isChecked && !isValid ? say.allowanceInvalid({ most: show(most) }) : undefined}
        onChange={(event) => choose(event.target.value)}
      />
      <div className="mt-3 flex flex-wrap gap-2">
        {SUGGESTIONS.filter((option) => option < most).map((option) => (
          <ArmedButton key={option} look="secondary" size="small" onClick={() => choose(String(option))}>
            {show(option)}
          </ArmedButton>
        ))}
        <ArmedButton look="secondary" size="small" onClick={() => choose(String(most))}>
          {say.allowanceAll({ credits: show(most) })}
        </ArmedButton>
      </div>
      <StepActions>
        {failure && (
          <div className="mb-4">
            <Notice kind="danger">{failure}</Notice>
          </div>
        )}
        <ArmedButton type="submit" size="large" busy={busy} coveredHint={say.covered} className="w-full">
          {say.allow({ count: isValid ? countCredits(credits, language) : UNKNOWN_COUNT })}
        </ArmedButton>
        <Button look="quiet" className="mt-2 w-full" onClick={onBuy}>
          {say.buyInstead}
        </Button>
      </StepActions>
    </form>
  );
}
