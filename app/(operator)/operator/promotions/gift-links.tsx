'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { ReasonField } from '../reason-button';
import { createLinks } from './actions';

/** Creates gift links and shows them once. */
export function GiftLinks({ promotionId }: { promotionId: string }) {
  const { run, isRunning, failure, clearFailure } = useAction(createLinks);
  const [isOpen, setOpen] = useState(false);
  const [count, setCount] = useState('10');
  const [reason, setReason] = useState('');
  const [links, setLinks] = useState<string[]>([]);
  const errorOf = (name: string) => (failure?.field === name ? failure.message : undefined);

  function change(open: boolean): void {
    if (isRunning) return;
    setOpen(open);
    setLinks([]);
    setReason('');
    clearFailure();
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const created = await run({ promotionId, count: Number(count), reason });
    if (created.ok) setLinks(created.value ?? []);
  }

  return (
    <Dialog
      title={links.length > 0 ? 'Copy the links' : 'Create gift links'}
      description={
        links.length > 0
          ? 'They are shown only now. Anyone who has a link can redeem it.'
          : 'Each link works once.'
      }
      open={isOpen}
      onOpenChange={change}
      trigger={
        <Button look="secondary" size="small">
          Create links
        </Button>
      }
    >
      {links.length > 0 ? (
        <>
          <textarea
            readOnly
            aria-label="Gift links"
            rows={8}
            value={links.join('\n')}
            onFocus={(event) => event.target.select()}
            className="w-full rounded-lg border border-line bg-sunken p-3 font-mono text-[13px]"
          />
          <Button className="mt-3 w-full" onClick={() => change(false)}>
            Done
          </Button>
        </>
      ) : (
        <form noValidate className="fields" onSubmit={submit}>
          <TextField
            label="Number of links"
            inputMode="numeric"
            autoComplete="off"
            value={count}
            error={errorOf('count')}
            onChange={(event) => setCount(event.target.value)}
          />
          <ReasonField value={reason} onChange={setReason} error={errorOf('reason')} />
          {failure && failure.field === undefined && <Notice kind="danger">{failure.message}</Notice>}
          <Button type="submit" busy={isRunning}>
            Create links
          </Button>
        </form>
      )}
    </Dialog>
  );
}
