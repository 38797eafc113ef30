'use client';

import { useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import type { Subscription } from '@/server/base/unsubscribe-link';
import { unsubscribeByMail } from './actions';

const MAILS: Record<Subscription['kind'], string> = {
  limits: 'e-mails at 50, 80 and 100% of your limits and credits',
  unusual: 'e-mails about unusual spending',
  weekly: 'the weekly summary',
  alerts: 'alerts about the apps of your team',
};

type Props = { token: string; kind: Subscription['kind']; isOn: boolean };

export function Unsubscribe({ token, kind, isOn: wasOn }: Props) {
  const { run, isRunning, failure } = useAction(unsubscribeByMail);
  const [isOn, setOn] = useState(wasOn);
  const end = async () => {
    if ((await run({ token })).ok) setOn(false);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isOn ? 'Unsubscribe?' : 'You are unsubscribed'}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isOn ? `You no longer get ${MAILS[kind]} then.` : `You no longer get ${MAILS[kind]}.`} You can turn
        them on again at any time{kind === 'alerts' ? ' on the Team page of an app' : ' in your account'}.
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isOn ? (
        <Button size="large" className="w-full" busy={isRunning} onClick={() => void end()}>
          Unsubscribe
        </Button>
      ) : (
        <a
          href={kind === 'alerts' ? '/partner' : '/account/limits#mails'}
          className={`${buttonClass({ look: 'secondary' })} w-full`}
        >
          {kind === 'alerts' ? 'Open the partner dashboard' : 'Choose which e-mails you get'}
        </a>
      )}
    </div>
  );
}
