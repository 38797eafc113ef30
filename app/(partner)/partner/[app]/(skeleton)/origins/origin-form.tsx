'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { parseOrigin } from '@/server/partners/origin-rules';
import { addOrigin } from './actions';

/** Validates while typing, with the server's rules. */
export function OriginForm({ partnerId, registered }: { partnerId: string; registered: string[] }) {
  const [text, setText] = useState('');
  const [isLeft, setLeft] = useState(false);
  const { run, isRunning, failure, clearFailure } = useAction(addOrigin);
  const verdict = judge(text, registered);
  // A partial address is not an error yet: report it once the field is left or cannot become valid.
  const error =
    failure?.message ?? (verdict.error && (isLeft || !isUnfinished(text)) ? verdict.error : undefined);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (verdict.origin === undefined) return;
    if ((await run({ partnerId, origin: text })).ok) {
      setText('');
      setLeft(false);
    }
  };

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3 sm:flex-row sm:items-start">
      <div className="min-w-0 flex-1">
        <TextField
          label="Origin"
          placeholder="https://app.example.com"
          value={text}
          error={error}
          hint={
            verdict.note ?? 'A website such as https://app.example.com, or an app scheme such as myapp://*'
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
        Add origin
      </Button>
    </form>
  );
}

type Verdict = { origin?: string; note?: string; error?: string };

function judge(text: string, registered: string[]): Verdict {
  if (text.trim() === '') return { error: 'Enter an origin' };
  const parsed = parseOrigin(text);
  if (!parsed.ok) return { error: sentence(parsed.reason) };
  const { origin } = parsed;
  if (registered.includes(origin)) return { error: `${origin} is already registered` };
  if (parsed.warning) return { origin, note: `Careful: ${parsed.warning}.` };
  return {
    origin,
    note: origin === text.trim() ? `${origin} can be added.` : `Will be registered as ${origin}`,
  };
}

/** The beginning of something that may still become right. */
function isUnfinished(text: string): boolean {
  const given = text.trim().toLowerCase();
  return given === '' || /^[a-z][a-z0-9+.-]*(:\/{0,2})?$/.test(given);
}

const sentence = (reason: string): string => reason.charAt(0).toUpperCase() + reason.slice(1);
