'use client';

import { useEffect, useRef } from 'react';
import { Button } from '../../_ui/button';
import type { Messages } from '../messages';

type Props = { say: Messages; onLeave(): void; onStay(): void };

export function LeavePrompt({ say, onLeave, onStay }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="leave-title"
      onCancel={(event) => {
        event.preventDefault();
        onStay();
      }}
      className="m-auto w-[min(22rem,calc(100vw-3rem))] rounded-2xl border border-line bg-surface p-6 text-text backdrop:bg-black/45"
    >
      <h2 id="leave-title" className="text-lg font-semibold">
        {say.leaveTitle}
      </h2>
      <p className="mt-1.5 text-muted">{say.leaveText}</p>
      <div className="mt-6 grid gap-2">
        <Button className="w-full" onClick={onStay}>
          {say.stay}
        </Button>
        <Button look="secondary" className="w-full" onClick={onLeave}>
          {say.leave}
        </Button>
      </div>
    </dialog>
  );
}
