'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { revokeLinkedKey } from './actions';

type Props = {
  texts: PageTexts<'revoke'>;
  token: string;
  last4: string;
  isLive: boolean;
  appName: string | null;
};

export function RevokeKey({ texts, token, last4, isLive, appName }: Props) {
  const { say, shared } = speakPage(texts);
  const { run, isRunning, failure } = useAction(revokeLinkedKey);
  const [isRevoked, setRevoked] = useState(!isLive);
  const revoke = async () => {
    if ((await run({ token })).ok) setRevoked(true);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isRevoked ? say.revoked : say.ask}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isRevoked
          ? say.revokedText({ last4 })
          : appName === null
            ? say.askThisText
            : say.askText({ app: appName })}
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        {appName !== null && (
          <div>
            <dt className="text-muted">{say.app}</dt>
            <dd className="font-medium wrap-anywhere">{appName}</dd>
          </div>
        )}
        <div>
          <dt className="text-muted">{say.key}</dt>
          <dd className="font-mono">svc_sk_…{last4}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {failure.code === 'link_expired' ? say.expired : describeRefusal(failure, shared)}
          </Notice>
        </div>
      )}
      {isRevoked ? (
        <a href="/account/activity" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          {say.activity}
        </a>
      ) : (
        <Button look="danger" size="large" className="w-full" busy={isRunning} onClick={() => void revoke()}>
          {say.revoke}
        </Button>
      )}
    </div>
  );
}
