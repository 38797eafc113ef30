'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { EmptyState } from '@/app/_ui/empty-state';
import { Notice } from '@/app/_ui/notice';
import { Section } from '@/app/_ui/section';
import { SelectField } from '@/app/_ui/select-field';
import { Stat, Stats } from '@/app/_ui/stat';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { AppTable, CorrectionTable } from '../[batch]/correction-tables';
import { type Checked, check, type CorrectionForm as Form, propose } from './actions';

const SOURCES: Record<Form['source'], string> = {
  price: 'A wrong price version',
  receipt: 'Receipts, computed again',
  bill: 'A provider’s bill that is lower',
};

/** The fields that show their own failure. */
const SHOWN = ['price_version', 'as', 'prices', 'from', 'to', 'bill', 'tolerance', 'reason'];

/** Checks first, then proposes exactly what was shown. */
export function CorrectionForm({ today }: { today: string }) {
  const [form, setForm] = useState<Form>({
    source: 'price',
    priceVersion: '',
    asVersion: '',
    prices: '',
    from: '',
    to: today,
    bill: '',
    tolerance: '2',
    reason: '',
  });
  const [checked, setChecked] = useState<Checked | null>();
  const { run, isRunning, failure, clearFailure } = useAction(check);

  function edit(field: Partial<Form>): void {
    setForm({ ...form, ...field });
    setChecked(undefined);
    clearFailure();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const found = await run(form);
    setChecked(found.ok ? found.value : undefined);
  }

  return (
    <>
      <Section>
        <form onSubmit={submit} noValidate className="flex max-w-2xl flex-col gap-3">
          <Fields
            form={form}
            edit={edit}
            errorOf={(name) => (failure?.field === name ? failure.message : undefined)}
          />
          {failure && !SHOWN.includes(failure.field ?? '') && (
            <Notice kind="danger">{failure.message}</Notice>
          )}
          <Button
            type="submit"
            look={checked ? 'secondary' : 'primary'}
            busy={isRunning}
            className="self-start"
          >
            Check charges
          </Button>
        </form>
      </Section>
      {checked === null && (
        <Section>
          <EmptyState title="Nothing to correct">
            No request was overcharged, or each is already in a batch.
          </EmptyState>
        </Section>
      )}
      {checked && <Result checked={checked} />}
    </>
  );
}

type FieldsProps = {
  form: Form;
  edit(field: Partial<Form>): void;
  errorOf(name: string): string | undefined;
};

function Fields({ form, edit, errorOf }: FieldsProps) {
  const text = (name: keyof Form, label: string, param: string, hint?: string, type = 'text') => (
    <TextField
      label={label}
      type={type}
      autoComplete="off"
      spellCheck={false}
      value={form[name]}
      error={errorOf(param)}
      hint={hint}
      onChange={(event) => edit({ [name]: event.target.value })}
    />
  );
  return (
    <>
      <SelectField
        large
        label="Compare charges with"
        className="mb-2"
        value={form.source}
        options={Object.entries(SOURCES).map(([value, label]) => ({ value, label }))}
        onChange={(event) => edit({ source: event.target.value as Form['source'] })}
      />
      {form.source === 'price' && (
        <>
          {text(
            'priceVersion',
            'Wrong price version',
            'price_version',
            'As receipts and the page of a model name it',
          )}
          <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
            {text('asVersion', 'Correct version', 'as', 'Or enter prices')}
            {text(
              'prices',
              'Correct prices',
              'prices',
              '{"input": "1.25", "output": "10"}, USD per million tokens',
            )}
          </div>
        </>
      )}
      {form.source === 'bill' ? (
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-[1fr_10rem]">
          <BillField error={errorOf('bill')} onRead={(bill) => edit({ bill })} />
          {text('tolerance', 'Tolerance in percent', 'tolerance')}
        </div>
      ) : (
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          {text('from', 'First day', 'from', undefined, 'date')}
          {text('to', 'Last day', 'to', 'In UTC', 'date')}
        </div>
      )}
      {text('reason', 'Reason', 'reason', 'Users and apps read it.')}
    </>
  );
}

/** The file is read in the browser and kept nowhere. */
function BillField({ error, onRead }: { error: string | undefined; onRead(text: string): void }) {
  return (
    <TextField
      label="Bill"
      type="file"
      accept=".csv,.json,text/csv,application/json"
      className="py-2.5"
      error={error}
      hint="The export of costs, CSV or JSON, of at most 900 kB"
      onChange={async (event) => onRead((await event.target.files?.[0]?.text()) ?? '')}
    />
  );
}

function Result({ checked }: { checked: Checked }) {
  const router = useRouter();
  const { run, isRunning, failure } = useAction(propose);
  const { batchId, apps, examples, uncheckable } = checked;
  return (
    <>
      <Stats>
        <Stat label="Refund" unit="credits" value={checked.credits} note="not booked yet" />
        <Stat label="Users" value={checked.users} />
        <Stat label="Requests" value={checked.requests} note="overcharged" />
      </Stats>
      {uncheckable > 0 && (
        <div className="mb-6">
          <Notice kind="warning">{uncheckable} receipts name a price version that is not known.</Notice>
        </div>
      )}
      <Section title="Apps" description={`Compared with: ${checked.basis}`} flush>
        <AppTable rows={apps} />
      </Section>
      <Section title="Requests" description={`The first ${examples.length}. In credits.`} flush>
        <CorrectionTable rows={examples} />
      </Section>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <Button
        busy={isRunning}
        onClick={async () => {
          if ((await run({ batchId })).ok) router.push(`/operator/corrections/${batchId}`);
        }}
      >
        Propose corrections
      </Button>
    </>
  );
}
