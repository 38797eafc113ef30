'use client';

import { type FormEvent, useId, useState } from 'react';
import type { Language } from '@/texts/languages';
import { countCredits, formatCredits, formatMoney } from '../../_ui/amount';
import { ArmedButton } from '../../_ui/armed-button';
import { Button, buttonClass } from '../../_ui/button';
import { Notice } from '../../_ui/notice';
import type { ShownCard } from '../../_ui/saved-card';
import { TextField } from '../../_ui/text-field';
import type { Messages } from '../messages';
import { CheckMark } from '../panel';
import { StepTitle } from '../step-title';
import type { AllowanceChoice, Order, PaymentStatus, VisitState } from './api';
import { describeUse, nameRemedy } from './describe-limit';
import { Line } from './line';
import { newSaveId } from './save-id';
import { StepActions } from './step-actions';

type Props = {
  say: Messages;
  language: Language;
  visit: VisitState;
  cards: ShownCard[] | null;
  payment: Order;
  outcome: PaymentStatus;
  accountUrl: string;
  /** The address of the service. */
  home: string;
  onAllow(choice: AllowanceChoice): Promise<string | undefined>;
  onDone(): void;
};

/** What was bought and paid, whether the app can spend it, and what the user may want to do next. */
export function SuccessStep(props: Props) {
  const { say, language, visit, payment, outcome, accountUrl } = props;
  const { credits_added: creditsAdded, balance, receipt_id: receiptId = null } = outcome;
  return (
    <div className="animate-appear flex flex-1 flex-col">
      <div className="grid flex-1 place-content-center justify-items-center gap-2 py-4 text-center">
        <div className="mb-2">
          <CheckMark />
        </div>
        <StepTitle>{say.successTitle({ count: countCredits(creditsAdded, language) })}</StepTitle>
        <p className="text-muted">{describeUse(outcome, { say, language, app: visit.app_name })}</p>
      </div>
      <dl className="grid gap-1.5 border-t border-line pt-4">
        <Line label={say.paid}>
          {formatMoney(payment.amount, payment.currency, language, { inColumn: true })}
        </Line>
        <Line label={say.newBalance}>{say.credits({ count: countCredits(balance, language) })}</Line>
        {receiptId !== null && visit.signed_in === 'session' && visit.offers_invoices && (
          <Line label={say.invoice}>
            <AccountLink href={`${accountUrl}/receipts/${receiptId}#invoice`}>{say.invoiceGet}</AccountLink>
          </Line>
        )}
        {receiptId !== null && (
          <Line label={say.receipt}>
            <AccountLink href={`${accountUrl}/receipts/${receiptId}`}>{say.receiptOpen}</AccountLink>
          </Line>
        )}
      </dl>
      <p className="mt-1.5 text-sm text-muted">{say.receiptMailed}</p>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-3 text-sm">
        {visit.signed_in === 'session' && !props.cards?.length && (
          <li>
            <AccountLink href={`${accountUrl}/payment`}>{say.cardSave}</AccountLink>
          </li>
        )}
        <li>
          <AccountLink href={`${accountUrl}/limits`}>{say.setLimits}</AccountLink>
        </li>
      </ul>
      <Finish {...props} />
    </div>
  );
}

/** In a new tab, with the account's own session. */
function AccountLink({ href, children }: { href: string; children: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener"
      className="relative text-accent underline underline-offset-2 after:absolute after:-inset-x-2 after:-inset-y-1.5"
    >
      {children}
    </a>
  );
}

/** "Done", after the opt-in if there are credits to allow and it is ticked, or what lifts a limit. */
function Finish(props: Props) {
  const { say, language, visit, outcome, onAllow, onDone } = props;
  const [isTicked, setTicked] = useState(false);
  const [typed, setTyped] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [saveId] = useState(newSaveId);
  const hint = useId();

  const { limited_by: limit } = outcome;
  // Of a user identified by a key alone, nothing is known but what this app can spend.
  const most = Math.floor(visit.elsewhere ?? 0);
  const show = (credits: number) => formatCredits(credits, language);
  const credits = /^\d{1,9}$/.test(typed.trim()) ? Number(typed) : 0;
  const isValid = credits >= 1 && credits <= most;

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    if (!isTicked) return onDone();
    setChecked(true);
    if (!isValid) return;
    setBusy(true);
    setFailure(await onAllow({ credits, saveId: `${saveId}-${credits}` }));
    setBusy(false);
  }

  return (
    <form onSubmit={submit} noValidate className="mt-4 flex flex-1 flex-col">
      {limit === null && most >= 1 && (
        <div className="mb-4 rounded-xl border border-line px-4 pt-3 pb-3.5">
          <label className="flex min-h-11 cursor-pointer items-center gap-3">
            <input
              type="checkbox"
              checked={isTicked}
              aria-describedby={hint}
              onChange={(event) => setTicked(event.target.checked)}
              className="size-5 shrink-0 accent-accent"
            />
            <span className="font-medium">{say.optIn({ app: visit.app_name })}</span>
          </label>
          <p id={hint} className="text-sm text-muted">
            {say.optInHint({ count: countCredits(most, language) })}
          </p>
          {isTicked && (
            <div className="mt-3">
              <TextField
                label={say.allowanceField}
                name="credits"
                inputMode="numeric"
                autoComplete="off"
                autoFocus
                value={typed}
                hint={say.allowanceHint}
                error={isChecked && !isValid ? say.allowanceInvalid({ most: show(most) }) : undefined}
                onChange={(event) => {
                  setTyped(event.target.value);
                  setChecked(false);
                }}
              />
            </div>
          )}
        </div>
      )}
      <StepActions>
        <Failure text={failure} />
        <Remedy {...props} />
        {isTicked ? (
          <ArmedButton type="submit" size="large" busy={busy} coveredHint={say.covered} className="w-full">
            {say.optInSave({ credits: isValid ? show(credits) : '…' })}
          </ArmedButton>
        ) : (
          <Button type="submit" look={limit?.path ? 'secondary' : 'primary'} size="large" className="w-full">
            {say.done}
          </Button>
        )}
      </StepActions>
    </form>
  );
}

/** The link to where the user lifts a limit. */
function Remedy({ say, language, visit, outcome: { limited_by: limit }, home }: Props) {
  if (limit === null || limit.path === null) return null;
  return (
    <a
      href={home + limit.path}
      target="_blank"
      rel="noopener"
      className={`${buttonClass({ size: 'large' })} mb-2 w-full`}
    >
      {nameRemedy(limit, { say, language, app: visit.app_name })}
    </a>
  );
}

function Failure({ text }: { text: string | undefined }) {
  return (
    text && (
      <div className="mb-4">
        <Notice kind="danger">{text}</Notice>
      </div>
    )
  );
}
