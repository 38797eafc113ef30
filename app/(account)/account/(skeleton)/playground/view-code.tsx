'use client';

import { useState } from 'react';
import type { Message } from '@/app/_requests/call-api';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { SelectField } from '@/app/_ui/select-field';
import { CopyButton } from '@/app/(site)/parts/copy-button';
import { writeSamples } from './code-samples';

type Props = { apiUrl: string; model: string; messages: readonly Message[] };

/** The program that sends the conversation so far. */
export function ViewCode(props: Props) {
  const [place, setPlace] = useState(0);
  const samples = writeSamples(props);
  const sample = samples[place] ?? samples[0];
  return (
    <Dialog
      title="View code"
      description="Sends the same request with a user key of your app, here in SVC_USER_KEY."
      trigger={
        <Button look="secondary" size="small">
          View code
        </Button>
      }
      wide
    >
      <SelectField
        label="Client"
        value={String(place)}
        onChange={({ target }) => setPlace(Number(target.value))}
        options={samples.map(({ name }, n) => ({ value: String(n), label: name }))}
      />
      {sample && (
        <figure className="mt-4 overflow-hidden rounded-xl border border-line bg-sunken">
          <figcaption className="flex items-center justify-between gap-3 border-b border-line pr-1.5 pl-4 text-xs text-muted">
            {sample.name}
            <CopyButton text={sample.code} what={`code for ${sample.name}`} />
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <pre tabIndex={0} className="max-h-[50dvh] overflow-auto p-4 font-mono text-[13px] leading-[1.65]">
            <code>{sample.code}</code>
          </pre>
        </figure>
      )}
    </Dialog>
  );
}
