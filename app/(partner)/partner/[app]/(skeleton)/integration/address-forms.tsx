'use client';

import { type ComponentProps, type FormEvent, useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { parseOrigin } from '@/server/partners/origin-rules';
import { parseRedirect } from '@/server/partners/redirect-rules';
import { addOrigin, addRedirect } from './address-actions';

type Props = { partnerId: string; registered: string[] };

export const OriginForm = ({ partnerId, registered }: Props) => (
  <AddressForm
    label="Origin"
    placeholder="https://app.example.com"
    hint="A website such as https://app.example.com, or an app scheme such as myapp://*"
    submit="Add origin"
    judge={(text) => judgeOrigin(text, registered)}
    isUnfinished={isUnfinishedOrigin}
    action={(origin) => addOrigin({ partnerId, origin })}
  />
);

export const RedirectForm = ({ partnerId, registered }: Props) => (
  <AddressForm
    label="Redirect address"
    placeholder="https://app.example.com/back"
    hint="The whole address, such as https://app.example.com/back, myapp://signed-in or http://localhost/back"
    submit="Add address"
    judge={(text) => judgeRedirect(text, registered)}
    action={(uri) => addRedirect({ partnerId, uri })}
  />
);

type Verdict = { note?: string; error?: string };

type FormProps = Pick<ComponentProps<typeof TextField>, 'label' | 'placeholder' | 'hint'> & {
  submit: string;
  judge: (text: string) => Verdict;
  /** Whether the text may still become valid: it is not an error before the field is left. By default, any may. */
  isUnfinished?: (text: string) => boolean;
  action: (text: string) => Promise<ActionResult>;
};

/** Validates with the server's rules before it is submitted. */
function AddressForm({ submit, judge, isUnfinished = () => true, action, hint, ...field }: FormProps) {
  const [text, setText] = useState('');
  const [isLeft, setLeft] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(action);
  const verdict = judge(text);
  const change = (changed: string) => {
    setText(changed);
    clearFailure();
    setLeft(false);
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (verdict.error !== undefined) return;
    if ((await run(text)).ok) change('');
  };
  return (
    <form onSubmit={send} noValidate className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <TextField
          {...field}
          value={text}
          error={failure?.message ?? (isLeft || !isUnfinished(text) ? verdict.error : undefined)}
          hint={verdict.note ?? hint}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onBlur={() => setLeft(text !== '')}
          onChange={(event) => change(event.target.value)}
        />
      </div>
      <Button type="submit" busy={isRunning} className="sm:mt-[26px] sm:h-12">
        {submit}
      </Button>
    </form>
  );
}

function judgeOrigin(text: string, registered: string[]): Verdict {
  if (text.trim() === '') return { error: 'Enter an origin' };
  const parsed = parseOrigin(text);
  if (!parsed.ok) return { error: sentence(parsed.reason) };
  const { origin } = parsed;
  if (registered.includes(origin)) return { error: `${origin} is already registered` };
  if (parsed.warning) return { note: `Careful: ${parsed.warning}.` };
  return { note: origin === text.trim() ? `${origin} can be added.` : `Will be registered as ${origin}` };
}

/** The beginning of a scheme. */
function isUnfinishedOrigin(text: string): boolean {
  const typed = text.trim().toLowerCase();
  return typed === '' || /^[a-z][a-z0-9+.-]*(:\/{0,2})?$/.test(typed);
}

function judgeRedirect(text: string, registered: string[]): Verdict {
  if (text.trim() === '') return { error: 'Enter an address' };
  const parsed = parseRedirect(text);
  if (!parsed.ok) return { error: sentence(parsed.reason) };
  const { uri } = parsed;
  if (registered.includes(uri)) return { error: `${uri} is already registered` };
  if (uri.startsWith('http:')) return { note: `Will be registered as ${uri}, on any port` };
  return { note: uri === text.trim() ? `${uri} can be added.` : `Will be registered as ${uri}` };
}

const sentence = (reason: string): string => reason.charAt(0).toUpperCase() + reason.slice(1);
