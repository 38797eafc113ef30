'use client';

import { LogOut } from 'lucide-react';
import { Button, type ButtonLook } from '../_ui/button';
import { Notice } from '../_ui/notice';
import { useAction } from '../_ui/use-action';
import { signOut } from './sign-out';

export function SignOutButton({ look = 'quiet', size = 'small' }: ButtonLook) {
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
        Sign out
      </Button>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </>
  );
}
