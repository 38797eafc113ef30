'use client';

import { useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { undoMyEmailChange } from './actions';

export function UndoEmail({ token, email }: { token: string; email: string }) {
  const { run, isRunning, failure } = useAction(undoMyEmailChange);
  const [isUndone, setUndone] = useState(false);
  const undo = async () => {
    if ((await run({ token })).ok) setUndone(true);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isUndone ? 'Change undone' : 'Undo the change?'}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isUndone
          ? `Your account has the address ${email} again. All devices are signed out.`
          : `Your account gets the address ${email} back. All devices are signed out, and passkeys and keys that were added since the change are removed.`}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isUndone ? (
        <a href="/sign-in?return=%2Faccount" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          Sign in
        </a>
      ) : (
        <Button look="danger" size="large" className="w-full" busy={isRunning} onClick={() => void undo()}>
          Undo the change
        </Button>
      )}
    </div>
  );
}
