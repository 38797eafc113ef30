'use client';

import { useState } from 'react';
import { Button } from '../../_ui/button';
import { SelectField } from '../../_ui/select-field';
import { TextField } from '../../_ui/text-field';
import { CHOICES, type DemoOptions, writeCode, writeDemoOptions } from './widget-options';

type Props = { options: DemoOptions; publishableKey: string; scriptUrl: string };

const LABELS = { display: 'Display', checkoutMode: 'Payment form', currency: 'Currency' };
const HINTS: Record<string, string> = {
  popup: 'A window on the checkout’s own site. A user who is signed in there is recognised.',
  new_tab: 'A tab on the checkout’s own site. A user who is signed in there is recognised.',
  embedded: 'An overlay on this page.',
};

/** Every option of the widget, to try live, with the code for it. */
export function OptionsPanel({ options, ...setup }: Props) {
  const [draft, setDraft] = useState(options);
  const isChanged = writeDemoOptions(draft) !== writeDemoOptions(options);
  const set = (name: keyof DemoOptions) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [name]: event.target.value });

  return (
    <section aria-labelledby="options-title" className="mt-12 border-t border-line pt-8">
      <h2 id="options-title" className="text-lg font-semibold">
        Try the options
      </h2>
      <p className="mt-1 text-sm text-muted">
        The widget is initialized once per page load, so applying a change reloads this page.
      </p>
      <form
        className="mt-5"
        onSubmit={(event) => {
          event.preventDefault();
          window.location.search = writeDemoOptions(draft);
        }}
      >
        <div className="grid gap-4 sm:grid-cols-3">
          {(Object.keys(CHOICES) as (keyof typeof CHOICES)[]).map((name) => (
            <SelectField
              key={name}
              label={LABELS[name]}
              name={name}
              value={draft[name]}
              onChange={set(name)}
              options={CHOICES[name].map((value) => ({ value, label: value }))}
            />
          ))}
        </div>
        <p className="mt-2 min-h-5 text-sm text-muted">{HINTS[draft.display]}</p>
        <div className="fields mt-3 mb-5 sm:grid-cols-3">
          <TextField
            label="Amount"
            name="amount"
            inputMode="decimal"
            placeholder="User chooses"
            value={draft.amount}
            onChange={set('amount')}
          />
          <div className="sm:col-span-2">
            <TextField
              label="Metadata note"
              name="note"
              placeholder="Included in every webhook"
              maxLength={400}
              value={draft.note}
              onChange={set('note')}
            />
          </div>
        </div>
        <Button type="submit" look={isChanged ? 'primary' : 'secondary'} disabled={!isChanged}>
          {isChanged ? 'Apply' : 'Applied'}
        </Button>
      </form>
      <h3 className="mt-8 mb-2 text-sm font-medium">Code for these options</h3>
      <pre
        data-testid="code"
        className="rounded-2xl bg-sunken p-5 font-mono text-[13px] leading-relaxed wrap-anywhere whitespace-pre-wrap"
      >
        <code>{writeCode(draft, setup)}</code>
      </pre>
    </section>
  );
}
