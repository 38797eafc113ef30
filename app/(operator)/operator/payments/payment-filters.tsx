'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { PageLink } from '@/app/_ui/page-link';
import { SelectField } from '@/app/_ui/select-field';
import { useAction } from '@/app/_ui/use-action';
import { findUser } from '../users/actions';

export type Filters = { state: string; app: string; user: string; from: string; to: string };

type Props = {
  filters: Filters;
  /** Of the user of the filter. */
  email: string | null;
  states: { value: string; label: string }[];
  apps: { value: string; label: string }[];
};

const INPUT =
  'h-11 w-full rounded-lg border border-field/60 bg-surface px-3 text-base hover:border-field sm:h-10 sm:text-sm';

/** What is chosen becomes the page's URL, except for an e-mail address: a sealed reference names the user there. */
export function PaymentFilters({ filters, email, states, apps }: Props) {
  const { chosen, edit, name, editName, submit, isRunning, problem } = useFilters(filters, email);
  return (
    <form
      onSubmit={submit}
      noValidate
      className="grid items-end gap-3 px-5 pt-1 pb-4 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_1.4fr_1fr_1fr_auto]"
    >
      <SelectField
        label="State"
        value={chosen.state}
        options={states}
        onChange={(event) => edit({ state: event.target.value })}
      />
      <SelectField
        label="App"
        value={chosen.app}
        options={apps}
        onChange={(event) => edit({ app: event.target.value })}
      />
      <Labelled label="User">
        <input
          value={name}
          placeholder="E-mail or ID"
          autoComplete="off"
          spellCheck={false}
          maxLength={300}
          aria-invalid={problem ? true : undefined}
          className={`${INPUT} placeholder:text-muted/80`}
          onChange={(event) => editName(event.target.value)}
        />
      </Labelled>
      <Labelled label="From">
        <input
          type="date"
          value={chosen.from}
          className={INPUT}
          onChange={(event) => edit({ from: event.target.value })}
        />
      </Labelled>
      <Labelled label="To">
        <input
          type="date"
          value={chosen.to}
          className={INPUT}
          onChange={(event) => edit({ to: event.target.value })}
        />
      </Labelled>
      <div className="flex gap-2">
        <Button type="submit" look="secondary" busy={isRunning}>
          Show payments
        </Button>
        {Object.values(filters).some((value) => value !== '') && (
          <PageLink href="/operator/payments#all" className={buttonClass({ look: 'quiet' })}>
            Clear
          </PageLink>
        )}
      </div>
      {problem && (
        <p role="alert" className="text-sm text-danger sm:col-span-full">
          {problem}
        </p>
      )}
    </form>
  );
}

function useFilters(filters: Filters, email: string | null) {
  const router = useRouter();
  const [chosen, setChosen] = useState(filters);
  const [name, setName] = useState(email ?? '');
  const [isAmbiguous, setAmbiguous] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(findUser);
  const problem = isAmbiguous ? 'Several users match. Enter the whole e-mail address.' : failure?.message;
  const edit = (field: Partial<Filters>) => setChosen({ ...chosen, ...field });

  function forgetProblem(): void {
    clearFailure();
    setAmbiguous(false);
  }

  function editName(text: string): void {
    setName(text);
    forgetProblem();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    forgetProblem();
    const user = name.trim() === (email ?? '') ? chosen.user : await readUser();
    if (user === null) return;
    const parts = Object.entries({ ...chosen, user }).filter(([, value]) => value !== '');
    router.push(`/operator/payments?${new URLSearchParams(parts)}#all`);
  }

  async function readUser(): Promise<string | null> {
    if (name.trim() === '') return '';
    const found = await run({ name });
    if (!found.ok || !found.value) return null;
    if ('page' in found.value) return found.value.ref;
    const [only, ...others] = found.value.matches;
    if (only !== undefined && others.length === 0) return only.ref;
    setAmbiguous(true);
    return null;
  }

  return { chosen, edit, name, editName, submit, isRunning, problem };
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is a child
    <label className="block text-sm">
      <span className="mb-1.5 block font-medium">{label}</span>
      {children}
    </label>
  );
}
