'use client';

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type ReactNode, useState } from 'react';
import type { ActionResult } from './action-result';
import { Button, type ButtonLook } from './button';
import { BACKDROP, LAYER, POPUP } from './dialog';
import { Notice } from './notice';
import { useAction } from './use-action';
import { useFocusAfter } from './use-focus-after';

type Props = ButtonLook & {
  /** The button's label, e.g. "Revoke key". Repeated on the button that confirms. */
  label: string;
  /** The question, e.g. "Revoke this key?" */
  title: string;
  /** What will happen, and whether it can be undone. */
  consequence: ReactNode;
  action: () => Promise<ActionResult<unknown>>;
  disabled?: boolean;
  /** For screen readers, where the same label appears many times on a page. */
  describe?: string;
};

/** A button for an irreversible action: asks first and shows a refusal in place. */
export function ConfirmButton({ label, title, consequence, action, describe, disabled, look, size }: Props) {
  const [isOpen, setOpen] = useState(false);
  useFocusAfter(isOpen);
  const { run, isRunning, failure, clearFailure } = useAction(action);
  const confirm = async () => {
    if ((await run()).ok) setOpen(false);
  };
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!isRunning) setOpen(open);
        clearFailure();
      }}
    >
      <AlertDialog.Trigger
        render={<Button look={look ?? 'secondary'} size={size ?? 'small'} />}
        disabled={disabled}
        aria-label={describe && `${label}: ${describe}`}
      >
        {label}
      </AlertDialog.Trigger>
      <AlertDialog.Portal className={LAYER}>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={POPUP}>
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-2 text-sm text-muted">
            {consequence}
          </AlertDialog.Description>
          {failure && (
            <div className="mt-4">
              <Notice kind="danger">{failure.message}</Notice>
            </div>
          )}
          <div className="mt-6 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
            <AlertDialog.Close render={<Button look="secondary" />}>Cancel</AlertDialog.Close>
            <Button look="danger" busy={isRunning} onClick={confirm}>
              {label}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
