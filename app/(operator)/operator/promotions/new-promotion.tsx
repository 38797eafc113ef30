'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { SelectField } from '@/app/_ui/select-field';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { ReasonField } from '../reason-button';
import { create, type PromotionForm } from './actions';

const EMPTY: PromotionForm = {
  kind: 'purchase',
  gives: 'percent',
  code: '',
  amount: '',
  maxCredits: '',
  minPurchase: '',
  isFirstPurchase: false,
  app: '',
  limit: '',
  budget: '',
  until: '',
  note: '',
  reason: '',
};

const OFFERS = {
  'purchase percent': 'Code: percentage of a purchase',
  'purchase credits': 'Code: fixed bonus with a purchase',
  'gift credits': 'Gift links',
};

export function NewPromotion() {
  const { run, isRunning, failure, clearFailure } = useAction(create);
  const [isOpen, setOpen] = useState(false);
  const [form, setForm] = useState(EMPTY);

  function change(open: boolean): void {
    if (isRunning) return;
    setOpen(open);
    setForm(EMPTY);
    clearFailure();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if ((await run(form)).ok) setOpen(false);
  }

  return (
    <Dialog
      title="New promotion"
      description="The kind, the bonus and the limits cannot be changed later."
      open={isOpen}
      onOpenChange={change}
      trigger={<Button>New promotion</Button>}
    >
      <form noValidate className="flex max-h-[70dvh] flex-col gap-5 overflow-y-auto px-1" onSubmit={submit}>
        <Fields
          form={form}
          edit={(field) => setForm({ ...form, ...field })}
          errorOf={(name) => (failure?.field === name ? failure.message : undefined)}
        />
        {failure && !SHOWN.has(failure.field ?? '') && <Notice kind="danger">{failure.message}</Notice>}
        <div className="mt-2 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button look="secondary" onClick={() => change(false)}>
            Cancel
          </Button>
          <Button
            type="submit"
            busy={isRunning}
            disabled={form.reason.trim() === '' || form.amount.trim() === ''}
          >
            Create promotion
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The fields that show their own failure. */
const SHOWN = new Set(['code', 'percent', 'credits', 'app', 'max_redemptions', 'valid_until', 'reason']);

type FieldsProps = {
  form: PromotionForm;
  edit(field: Partial<PromotionForm>): void;
  errorOf(name: string): string | undefined;
};

function Fields({ form, edit, errorOf }: FieldsProps) {
  const text = (name: keyof PromotionForm, label: string, error?: string, hint?: string) => (
    <TextField
      label={label}
      autoComplete="off"
      value={String(form[name])}
      error={error}
      hint={hint}
      onChange={(event) => edit({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <SelectField
        label="Offer"
        className="mb-3"
        value={`${form.kind} ${form.gives}`}
        onChange={(event) => {
          const [kind, gives] = event.target.value.split(' ');
          edit({ kind: kind as PromotionForm['kind'], gives: gives as PromotionForm['gives'] });
        }}
        options={Object.entries(OFFERS).map(([value, label]) => ({ value, label }))}
      />
      {form.kind === 'purchase' && text('code', 'Code', errorOf('code'), 'Such as WELCOME20')}
      {form.gives === 'percent'
        ? text('amount', 'Percent of the credits bought', errorOf('percent'))
        : text('amount', 'Bonus credits', errorOf('credits'))}
      {form.gives === 'percent' && text('maxCredits', 'Maximum in credits (optional)')}
      {form.kind === 'purchase' && text('minPurchase', 'Smallest purchase in credits (optional)')}
      {form.kind === 'purchase' && (
        <label className="mb-3 flex min-h-11 items-center gap-3 text-sm font-medium">
          <input
            type="checkbox"
            checked={form.isFirstPurchase}
            onChange={(event) => edit({ isFirstPurchase: event.target.checked })}
            className="size-5 shrink-0 accent-accent"
          />
          Only for the first purchase of a user
        </label>
      )}
      {text('limit', 'Redemptions in all (optional)', errorOf('max_redemptions'), 'Once per user.')}
      {text('budget', 'Total credits (optional)')}
      {text('app', 'Only in the app with this id (optional)', errorOf('app'), 'prt_…')}
      <TextField
        label="Last day (optional)"
        type="date"
        value={form.until}
        error={errorOf('valid_until')}
        onChange={(event) => edit({ until: event.target.value })}
      />
      {text('note', 'Note for operators (optional)')}
      <ReasonField value={form.reason} onChange={(reason) => edit({ reason })} error={errorOf('reason')} />
    </>
  );
}
