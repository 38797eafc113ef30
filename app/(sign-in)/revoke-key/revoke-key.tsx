'use client';

import { useState } from 'react';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { revokeLinkedKey } from './actions';

type Props = { token: string; last4: string; isLive: boolean; appName: string | null };

export function RevokeKey({ token, last4, isLive, appName }: Props) {
  const { run, isRunning, failure } = useAction(revokeLinkedKey);
  const [isRevoked, setRevoked] = useState(!isLive);
  const revoke = async () => {
    if ((await run({ token })).ok) setRevoked(true);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isRevoked ? 'Key revoked' : 'Revoke this key?'}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isRevoked
          ? `The key ending in ${last4} no longer works.`
          : `${appName ?? 'The app'} can no longer spend your credits with it, starting with the next request. This cannot be undone. Signing in there again creates a new key.`}
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        {appName !== null && (
          <div>
            <dt className="text-muted">App</dt>
            <dd className="font-medium wrap-anywhere">{appName}</dd>
          </div>
        )}
        <div>
          <dt className="text-muted">Key</dt>
          <dd className="font-mono">svc_sk_…{last4}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isRevoked ? (
        <a href="/account/activity" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          Show your activity
        </a>
      ) : (
        <Button look="danger" size="large" className="w-full" busy={isRunning} onClick={() => void revoke()}>
          Revoke key
        </Button>
      )}
    </div>
  );
}
