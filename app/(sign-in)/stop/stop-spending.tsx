'use client';

import { useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import type { StopOfLink, StopScope } from '@/server/people/stop-by-link';
import { stopByMail } from './actions';

type Props = { token: string; stop: StopOfLink };

/** Stops the app that the mail is about, or all apps. */
export function StopSpending({ token, stop }: Props) {
  const { run, isRunning, failure } = useAction(stopByMail);
  const [isAllStopped, setAllStopped] = useState(stop.isStopped);
  const [isAppStopped, setAppStopped] = useState(stop.app?.isStopped ?? false);
  const name = stop.app?.name ?? null;
  const request = async (scope: StopScope) => {
    if (!(await run({ token, scope })).ok) return;
    if (scope === 'all') setAllStopped(true);
    else setAppStopped(true);
  };
  const offersApp = stop.app !== null && !isAppStopped && !isAllStopped;
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold wrap-anywhere">
        {titleOf({ name, isAllStopped, isAppStopped, offersApp })}
      </h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {textOf({ isAllStopped, isAppStopped, offersApp })}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <div className="grid gap-2">
        {offersApp && (
          <Button
            look="danger"
            size="large"
            className="w-full"
            busy={isRunning}
            onClick={() => void request('app')}
          >
            Stop this app
          </Button>
        )}
        {!isAllStopped && (
          <Button
            look={stop.app === null ? 'danger' : 'secondary'}
            size="large"
            className="w-full"
            busy={isRunning}
            onClick={() => void request('all')}
          >
            Stop all apps
          </Button>
        )}
        {(isAllStopped || isAppStopped) && (
          <a href="/account/limits" className={`${buttonClass({ look: 'secondary', size: 'large' })} w-full`}>
            Show your limits
          </a>
        )}
      </div>
    </div>
  );
}

type State = { isAllStopped: boolean; isAppStopped: boolean; offersApp: boolean };

function titleOf({ name, isAllStopped, isAppStopped, offersApp }: State & { name: string | null }): string {
  if (isAllStopped) return 'All apps are stopped';
  if (isAppStopped) return `${name ?? 'This app'} is stopped`;
  return offersApp ? `Stop ${name ?? 'this app'}?` : 'Stop all apps?';
}

const RESUME = 'You can resume in your account, where we ask you to confirm that it is you.';

function textOf({ isAllStopped, isAppStopped, offersApp }: State): string {
  if (isAllStopped) return `No app can spend your credits. ${RESUME}`;
  if (isAppStopped) return `It cannot spend your credits; other apps can. ${RESUME}`;
  return `${offersApp ? 'It cannot' : 'No app can'} spend your credits from the next request on, and running requests end. Your credits, allowances and limits stay as they are, and you can resume at any time.`;
}
