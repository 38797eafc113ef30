'use client';

import { useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { allow } from './actions';
import type { RedirectParameters } from './request';

type Props = {
  parameters: RedirectParameters;
  appName: string;
  /** The host or scheme that the browser returns to. */
  destination: string;
  email: string;
  denyAddress: string;
};

export function Consent({ parameters, appName, destination, email, denyAddress }: Props) {
  const { run, isRunning, failure } = useAction(allow);
  const [isLeaving, setLeaving] = useState(false);

  async function agree() {
    const allowed = await run(parameters);
    if (!allowed.ok || allowed.value === undefined) return;
    setLeaving(true);
    window.location.assign(allowed.value);
  }

  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">Sign in to {appName}</h1>
      <p className="mt-1.5 mb-6 text-muted">
        {appName} gets a key to spend credits that you buy in it or allow it to use. It does not see your
        e-mail address or your other apps.
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">Signed in as</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
        <div>
          <dt className="text-muted">You will return to</dt>
          <dd className="font-medium wrap-anywhere">{destination}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <ArmedButton size="large" className="w-full" busy={isRunning || isLeaving} onClick={() => void agree()}>
        Continue
      </ArmedButton>
      <a href={denyAddress} className={`${buttonClass({ look: 'quiet' })} mt-2 w-full`}>
        Cancel
      </a>
    </div>
  );
}
