'use client';

import { KeyRound } from 'lucide-react';
import { Button, type ButtonLook } from '../_ui/button';
import { type Failure, useAction } from '../_ui/use-action';
import { signWithPasskey } from './sign-with-passkey';

type Props = ButtonLook & {
  label: string;
  /** Why a passkey that the browser suggested was refused. */
  refusal?: string | undefined;
  /** Messages of actions are in English. */
  describe?(failure: Failure): string;
  onDone(): void;
};

export function PasskeyButton({
  label,
  refusal,
  describe = ({ message }) => message,
  onDone,
  look = 'secondary',
  size = 'large',
}: Props) {
  const { run, isRunning, failure } = useAction(signWithPasskey);
  return (
    <div>
      <Button
        look={look}
        size={size}
        busy={isRunning}
        className="w-full"
        onClick={async () => {
          if ((await run()).ok) onDone();
        }}
      >
        <KeyRound size={18} aria-hidden="true" />
        {label}
      </Button>
      <p role="alert" className="mt-1.5 min-h-5 text-sm text-danger">
        {failure ? describe(failure) : isRunning ? null : refusal}
      </p>
    </div>
  );
}
