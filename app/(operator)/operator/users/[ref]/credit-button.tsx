'use client';

import { type Dispatch, type FormEvent, useReducer } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { ReasonField } from '../../reason-button';
import { changeCredits } from './actions';
import {
  CLOSED,
  type CreditForm,
  type CreditFormEvent,
  findCreditsError,
  findReasonError,
  isAmount,
  reduce,
  withSeparators,
  worth,
} from './credit-form';

type Pocket = { partnerId: string | null; name: string; own: string };
type Props = { kind: 'give' | 'take'; userRef: string; email: string; pockets: Pocket[] };

const WORDS = {
  give: { label: 'Give credits', done: 'Give', to: 'To' },
  take: { label: 'Take credits', done: 'Take', to: 'From' },
} as const;

/** Two steps: what and why, then a confirmation with the amounts. */
export function CreditButton(props: Props) {
  const { kind, userRef, pockets } = props;
  const [form, dispatch] = useReducer(reduce, CLOSED);
  const { run, isRunning, failure, clearFailure } = useAction(changeCredits);
  const words = WORDS[kind];

  function change(open: boolean): void {
    if (isRunning) return;
    dispatch(open ? { type: 'opened', changeId: crypto.randomUUID() } : { type: 'closed' });
    clearFailure();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!form.isReview) return dispatch({ type: 'review_requested' });
    const { credits, reason, changeId } = form;
    const partnerId = pockets[form.pocket]?.partnerId ?? null;
    const changed = await run({ kind, userRef, partnerId, credits: credits.trim(), reason, changeId });
    if (changed.ok) dispatch({ type: 'closed' });
  }

  function goBack(): void {
    clearFailure();
    dispatch(form.isReview ? { type: 'edit_requested' } : { type: 'closed' });
  }

  return (
    <Dialog
      title={form.isReview ? `${words.label}?` : words.label}
      open={form.isOpen}
      onOpenChange={change}
      trigger={
        <Button look={kind === 'give' ? 'primary' : 'secondary'} size="small">
          {words.label}
        </Button>
      }
    >
      <form noValidate className="fields" onSubmit={submit}>
        {form.isReview ? (
          <Review {...props} form={form} />
        ) : (
          <Fields pockets={pockets} form={form} dispatch={dispatch} />
        )}
        {failure && (
          <div className="mb-1">
            <Notice kind="danger">{failure.message}</Notice>
          </div>
        )}
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button look="secondary" onClick={goBack}>
            {form.isReview ? 'Back' : 'Cancel'}
          </Button>
          <Button
            type="submit"
            look={form.isReview && kind === 'take' ? 'danger' : 'primary'}
            busy={isRunning}
          >
            {form.isReview ? `${words.done} ${withSeparators(form.credits)} credits` : 'Continue'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type FieldsProps = { pockets: Pocket[]; form: CreditForm; dispatch: Dispatch<CreditFormEvent> };

function Fields({ pockets, form, dispatch }: FieldsProps) {
  const { pocket, credits, reason, isChecked } = form;
  const edit = (field: Partial<CreditForm>) => dispatch({ type: 'edited', field });
  return (
    <>
      <SelectField
        label="Where"
        className="mb-2"
        value={String(pocket)}
        onChange={(event) => edit({ pocket: Number(event.target.value) })}
        options={pockets.map(({ name, own }, index) => ({
          value: String(index),
          label: `${name} (${own})`,
        }))}
      />
      <TextField
        label="Credits"
        inputMode="decimal"
        autoComplete="off"
        value={credits}
        hint={isAmount(credits) ? `worth ${worth(credits)}` : '100 credits are worth 1 US dollar'}
        error={isChecked ? findCreditsError(form) : undefined}
        onChange={(event) => edit({ credits: event.target.value })}
      />
      <ReasonField
        value={reason}
        error={isChecked ? findReasonError(form) : undefined}
        onChange={(text) => edit({ reason: text })}
      />
    </>
  );
}

function Review({ kind, email, pockets, form }: Props & { form: CreditForm }) {
  const pocket = pockets[form.pocket];
  const words = WORDS[kind];
  return (
    <dl className="mb-2 flex flex-col gap-3 text-sm">
      <Line name={words.done}>
        {withSeparators(form.credits)} credits, worth {worth(form.credits)}
      </Line>
      <Line name={words.to}>{email}</Line>
      <Line name="Where">
        {pocket?.name} ({pocket?.own} credits now)
      </Line>
      <Line name="Reason">{form.reason}</Line>
    </dl>
  );
}

function Line({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid grid-cols-[5rem_1fr] gap-3">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
