'use client';

import { useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { stopByMail } from './actions';

export function StopAll({ token, isStopped: wasStopped }: { token: string; isStopped: boolean }) {
  const { run, isRunning, failure } = useAction(stopByMail);
  const [isStopped, setStopped] = useState(wasStopped);
  const stop = async () => {
    if ((await run({ token })).ok) setStopped(true);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isStopped ? 'All apps are stopped' : 'Stop all apps?'}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isStopped
          ? 'No app can spend your credits. You can resume them in your account, where we ask you to confirm that it is you.'
          : 'No app can spend your credits then, starting with the next request, and running requests end. Your credits, allowances and limits stay as they are, and you can resume apps at any time.'}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isStopped ? (
        <a href="/account/limits" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          Show your limits
        </a>
      ) : (
        <Button look="danger" size="large" className="w-full" busy={isRunning} onClick={() => void stop()}>
          Stop all apps
        </Button>
      )}
    </div>
  );
}
