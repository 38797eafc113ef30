'use client';

import { type ReactNode, useState } from 'react';
import type { ActionResult } from '@/app/_ui/action-result';
import { Button, type ButtonLook } from '@/app/_ui/button';
import { Dialog } from '@/app/_ui/dialog';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';

type Props = ButtonLook & {
  /** The button's label, repeated on the button that confirms. */
  label: string;
  title: string;
  /** What will happen. */
  consequence: ReactNode;
  isDanger?: boolean;
  /** Sends a unique id, so that a repeated submission takes effect once. */
  action: (reason: string, deedId: string) => Promise<ActionResult<unknown>>;
  /** For screen readers, where the same label appears many times on a page. */
  describe?: string;
  /** An additional field, or several, by the names in the action's input. `at`: which one the error is about. */
  field?: {
    name: string | readonly string[];
    render: (error: string | undefined, at: string | undefined) => ReactNode;
  };
  /** Called before the dialog opens, to clear earlier input. */
  onOpen?: () => void;
};

/** An operator action: asks for a reason, which the audit log keeps, then runs. */
export function ReasonButton({
  label,
  title,
  consequence,
  isDanger = false,
  action,
  describe,
  look,
  field,
  onOpen,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [deedId, setDeedId] = useState('');
  const { run, isRunning, failure, clearFailure } = useAction(action);
  const [isMissing, setMissing] = useState(false);
  const errorOf = (name: string) => (failure?.field === name ? failure.message : undefined);
  const at = field && [field.name].flat().find((name) => name === failure?.field);
  const isAtField = failure?.field === 'reason' || at !== undefined;
  const change = (open: boolean) => {
    if (isRunning) return;
    if (open) onOpen?.();
    setOpen(open);
    setReason('');
    setMissing(false);
    setDeedId(crypto.randomUUID());
    clearFailure();
  };
  return (
    <Dialog
      title={title}
      description={consequence}
      open={isOpen}
      onOpenChange={change}
      trigger={
        <Button look={look ?? 'secondary'} size="small" aria-label={describe && `${label}: ${describe}`}>
          {label}
        </Button>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-3"
        onSubmit={async (event) => {
          event.preventDefault();
          setMissing(reason.trim() === '');
          if (reason.trim() !== '' && (await run(reason, deedId)).ok) setOpen(false);
        }}
      >
        {field?.render(at && errorOf(at), at)}
        <ReasonField
          value={reason}
          onChange={(text) => {
            setReason(text);
            setMissing(false);
          }}
          error={isMissing ? 'Enter a reason' : errorOf('reason')}
        />
        {failure && !isAtField && (
          <div className="mb-1">
            <Notice kind="danger">{failure.message}</Notice>
          </div>
        )}
        <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
          <Button look="secondary" onClick={() => change(false)}>
            Cancel
          </Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} busy={isRunning}>
            {label}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ReasonField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (text: string) => void;
  error?: string | undefined;
}) {
  return (
    <TextField
      label="Reason"
      hint="Required. Recorded in the audit log."
      value={value}
      error={error}
      maxLength={500}
      autoComplete="off"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
