'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { ArmedButton } from '@/app/_ui/armed-button';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { allow } from './actions';
import type { RedirectParameters } from './request';

type Props = {
  texts: PageTexts<'authorize'>;
  parameters: RedirectParameters;
  appName: string;
  /** The host or scheme that the browser returns to. */
  destination: string;
  email: string;
  denyAddress: string;
};

export function Consent({ texts, parameters, appName, destination, email, denyAddress }: Props) {
  const { say, shared } = speakPage(texts);
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
      <h1 className="text-2xl font-semibold">{say.title({ app: appName })}</h1>
      <p className="mt-1.5 mb-6 text-muted">{say.text({ app: appName })}</p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">{say.signedInAs}</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
        <div>
          <dt className="text-muted">{say.returnTo}</dt>
          <dd className="font-medium wrap-anywhere">{destination}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{describeRefusal(failure, shared)}</Notice>
        </div>
      )}
      <ArmedButton size="large" className="w-full" busy={isRunning || isLeaving} onClick={() => void agree()}>
        {shared.say.goOn}
      </ArmedButton>
      <a href={denyAddress} className={`${buttonClass({ look: 'quiet' })} mt-2 w-full`}>
        {say.cancel}
      </a>
    </div>
  );
}
