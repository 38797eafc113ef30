'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
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

/** The parameters of a refusal that a field shows. */
const SHOWN = [
  ...['code', 'percent', 'credits', 'max_credits', 'min_purchase', 'app'],
  ...['max_redemptions', 'budget', 'valid_until', 'reason'],
];

/** What has to be entered, by the names that the server gives the same fields. */
function findMissing({ kind, gives, code, amount, reason }: PromotionForm): Record<string, string> {
  return {
    ...(kind === 'purchase' && code.trim() === '' && { code: 'Enter a code, such as WELCOME20' }),
    ...(amount.trim() === '' && { [gives]: gives === 'percent' ? 'Enter a percentage' : 'Enter credits' }),
    ...(reason.trim() === '' && { reason: 'Enter a reason' }),
  };
}

type App = { id: string; name: string };

export function NewPromotion({ apps }: { apps: App[] }) {
  const { run, isRunning, failure, clearFailure } = useAction(create);
  const [isOpen, setOpen] = useState(false);
  const [form, setForm] = useState(EMPTY);
  const [missing, setMissing] = useState<Record<string, string>>({});

  function edit(field: Partial<PromotionForm>): void {
    setForm({ ...form, ...field });
    setMissing({});
    clearFailure();
  }

  function change(open: boolean): void {
    if (isRunning) return;
    setOpen(open);
    edit(EMPTY);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const found = findMissing(form);
    setMissing(found);
    if (Object.keys(found).length === 0 && (await run(form)).ok) setOpen(false);
  }

  const errorOf = (name: string) => missing[name] ?? (failure?.field === name ? failure.message : undefined);
  return (
    <Dialog
      wide
      title="New promotion"
      description="The kind, the bonus and the limits cannot be changed later."
      open={isOpen}
      onOpenChange={change}
      trigger={<Button>New promotion</Button>}
    >
      <form noValidate onSubmit={submit}>
        <div className="-mx-6 flex max-h-[58dvh] flex-col gap-5 overflow-y-auto border-y border-line px-6 pt-5 pb-2">
          <Fields apps={apps} form={form} edit={edit} errorOf={errorOf} />
          {failure && !SHOWN.includes(failure.field ?? '') && (
            <Notice kind="danger">{failure.message}</Notice>
          )}
        </div>
        <div className="mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button look="secondary" onClick={() => change(false)}>
            Cancel
          </Button>
          <Button type="submit" busy={isRunning}>
            Create promotion
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type FieldsProps = {
  apps: App[];
  form: PromotionForm;
  edit(field: Partial<PromotionForm>): void;
  errorOf(name: string): string | undefined;
};

function Fields({ apps, form, edit, errorOf }: FieldsProps) {
  const text = (name: keyof PromotionForm, label: string, param?: string, hint?: string) => (
    <TextField
      label={label}
      autoComplete="off"
      value={String(form[name])}
      error={param && errorOf(param)}
      hint={hint}
      onChange={(event) => edit({ [name]: event.target.value })}
    />
  );
  const isPurchase = form.kind === 'purchase';
  return (
    <>
      <Group title="Bonus">
        <SelectField
          large
          label="Offer"
          className="mb-3 sm:col-span-2"
          value={`${form.kind} ${form.gives}`}
          onChange={(event) => {
            const [kind, gives] = event.target.value.split(' ');
            edit({ kind: kind as PromotionForm['kind'], gives: gives as PromotionForm['gives'] });
          }}
          options={Object.entries(OFFERS).map(([value, label]) => ({ value, label }))}
        />
        {isPurchase && text('code', 'Code', 'code', 'Such as WELCOME20')}
        {form.gives === 'percent'
          ? text('amount', 'Percent of the credits bought', 'percent')
          : text('amount', 'Bonus credits', 'credits')}
        {form.gives === 'percent' && text('maxCredits', 'Maximum in credits (optional)', 'max_credits')}
      </Group>
      <Group title="Conditions">
        <SelectField
          large
          label="App"
          className="mb-3"
          value={form.app}
          error={errorOf('app')}
          onChange={(event) => edit({ app: event.target.value })}
          options={[
            { value: '', label: 'Any app' },
            ...apps.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {isPurchase && text('minPurchase', 'Smallest purchase in credits (optional)', 'min_purchase')}
        {isPurchase && (
          <label className="mb-3 flex min-h-11 items-center gap-3 text-sm font-medium sm:col-span-2">
            <input
              type="checkbox"
              checked={form.isFirstPurchase}
              onChange={(event) => edit({ isFirstPurchase: event.target.checked })}
              className="size-5 shrink-0 accent-accent"
            />
            Only for the first purchase of a user
          </label>
        )}
      </Group>
      <Group title="Limits">
        {text('limit', 'Redemptions in all (optional)', 'max_redemptions', 'Once per user.')}
        {text('budget', 'Total credits (optional)', 'budget')}
        <TextField
          label="Last day (optional)"
          type="date"
          value={form.until}
          error={errorOf('valid_until')}
          onChange={(event) => edit({ until: event.target.value })}
        />
      </Group>
      <Group title="For operators">
        {text('note', 'Note for operators (optional)')}
        <ReasonField value={form.reason} onChange={(reason) => edit({ reason })} error={errorOf('reason')} />
      </Group>
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-3 font-semibold">{title}</legend>
      <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">{children}</div>
    </fieldset>
  );
}
