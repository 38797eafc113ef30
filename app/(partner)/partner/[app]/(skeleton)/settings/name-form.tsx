'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { ENGLISH } from '@/app/checkout/english';
import { checkName } from '@/server/partners/name';
import { rename } from './actions';

type Props = {
  partnerId: string;
  name: string;
  /** Shown next to a name that nobody has approved; null once it is. */
  host: string | null;
};

/** The name field, with a live preview of what users see. */
export function NameForm({ partnerId, name, host }: Props) {
  const [text, setText] = useState(name);
  const { run, isRunning, failure, clearFailure } = useAction(rename);
  const checked = checkName(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (checked.ok) await run({ partnerId, name: text });
  };
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <form onSubmit={submit} noValidate className="fields content-start">
        <TextField
          label="Name"
          value={text}
          error={failure?.message ?? (checked.ok ? undefined : checked.reason)}
          hint="1 to 60 characters"
          onChange={(event) => {
            setText(event.target.value);
            clearFailure();
          }}
        />
        <Button type="submit" busy={isRunning}>
          Save name
        </Button>
      </form>
      <Preview name={`${checked.ok ? checked.name : name}${host === null ? '' : ` (${host})`}`} />
    </div>
  );
}

/** Uses the checkout's own messages. */
function Preview({ name }: { name: string }) {
  const say = ENGLISH.say;
  return (
    <figure className="rounded-xl border border-line bg-sunken p-5">
      <figcaption className="mb-3 text-[13px] text-muted">In the checkout</figcaption>
      <div className="rounded-xl border border-line bg-surface p-5 break-words">
        <p className="text-lg font-semibold tracking-tight">{say.signInTitle}</p>
        <p className="mt-1 text-sm text-muted">{say.signInText({ app: name })}</p>
        <p className="mt-4 text-[13px] text-muted">{say.emailPrivacy({ app: name })}</p>
      </div>
    </figure>
  );
}
