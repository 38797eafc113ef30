'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { parseRedirect } from '@/server/partners/redirect-rules';
import { addRedirect } from './actions';

/** Validates with the server's rules once the field is left or submitted. */
export function RedirectForm({ partnerId, registered }: { partnerId: string; registered: string[] }) {
  const [text, setText] = useState('');
  const [isLeft, setLeft] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(addRedirect);
  const verdict = judge(text, registered);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (verdict.error !== undefined) return;
    if ((await run({ partnerId, uri: text })).ok) {
      setText('');
      setLeft(false);
    }
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <TextField
          label="Redirect address"
          placeholder="https://app.example.com/back"
          value={text}
          error={failure?.message ?? (isLeft ? verdict.error : undefined)}
          hint={
            verdict.note ??
            'The whole address, such as https://app.example.com/back, myapp://signed-in or http://localhost/back'
          }
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onBlur={() => setLeft(text !== '')}
          onChange={(event) => {
            setText(event.target.value);
            clearFailure();
            setLeft(false);
          }}
        />
      </div>
      <Button type="submit" busy={isRunning} className="sm:mt-[26px] sm:h-12">
        Add address
      </Button>
    </form>
  );
}

type Verdict = { note?: string; error?: string };

function judge(text: string, registered: string[]): Verdict {
  if (text.trim() === '') return { error: 'Enter an address' };
  const parsed = parseRedirect(text);
  if (!parsed.ok) return { error: parsed.reason.charAt(0).toUpperCase() + parsed.reason.slice(1) };
  const { uri } = parsed;
  if (registered.includes(uri)) return { error: `${uri} is already registered` };
  if (uri.startsWith('http:')) return { note: `Will be registered as ${uri}, on any port` };
  return { note: uri === text.trim() ? `${uri} can be added.` : `Will be registered as ${uri}` };
}
