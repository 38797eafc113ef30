'use client';

import { LogOut } from 'lucide-react';
import { Button, type ButtonLook } from '../_ui/button';
import { Notice } from '../_ui/notice';
import { useAction } from '../_ui/use-action';
import { signOut } from './sign-out';

type Props = ButtonLook & { label?: string };

export function SignOutButton({ label = 'Sign out', look = 'quiet', size = 'small' }: Props) {
  const { run, isRunning, failure } = useAction(signOut);
  return (
    <>
      <Button
        look={look}
        size={size}
        className="gap-3 font-normal!"
        busy={isRunning}
        onClick={async () => {
          if ((await run(undefined)).ok) window.location.assign('/');
        }}
      >
        <LogOut size={17} aria-hidden="true" />
        {label}
      </Button>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </>
  );
}
