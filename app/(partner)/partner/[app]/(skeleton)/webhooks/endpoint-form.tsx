'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { clearEndpoint, saveEndpoint } from './actions';

export function EndpointForm({ partnerId, url }: { partnerId: string; url: string | null }) {
  const [text, setText] = useState(url ?? '');
  const [warning, setWarning] = useState<string | null>(null);
  const { run, isRunning, failure, clearFailure } = useAction(saveEndpoint);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await run({ partnerId, url: text });
    if (!result.ok || result.value === undefined) return;
    setText(result.value.url);
    setWarning(result.value.warning);
  };
  const clear = async () => {
    const result = await clearEndpoint({ partnerId });
    if (result.ok) setText('');
    return result;
  };

  return (
    <form onSubmit={submit} noValidate className="fields">
      <TextField
        label="URL"
        placeholder="https://example.com/webhooks/svc"
        value={text}
        error={failure?.message}
        hint={
          url === null
            ? 'Without an endpoint, your backend can read the events from the API.'
            : 'A change takes effect with the next attempt.'
        }
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          setWarning(null);
          clearFailure();
        }}
      />
      {warning && <Notice kind="warning">{warning}</Notice>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={isRunning}>
          {url === null ? 'Set endpoint' : 'Save URL'}
        </Button>
        {url !== null && (
          <ConfirmButton
            label="Remove endpoint"
            size="medium"
            title="Remove this endpoint?"
            consequence="Pending deliveries are discarded, and no further events are sent. They are still recorded for the API, and the signing secret stays valid."
            action={clear}
          />
        )}
      </div>
    </form>
  );
}
