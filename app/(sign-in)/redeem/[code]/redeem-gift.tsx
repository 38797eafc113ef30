'use client';

import { useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { redeem } from './actions';

type Props = { code: string; credits: string; appName: string | null; email: string };

export function RedeemGift({ code, credits, appName, email }: Props) {
  const { run, isRunning, failure } = useAction(redeem);
  const [isRedeemed, setRedeemed] = useState(false);
  const where = appName === null ? 'in any app that you allow to' : `in ${appName}`;
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">
        {isRedeemed ? `${credits} bonus credits added` : `A gift for you: ${credits} bonus credits`}
      </h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isRedeemed ? `You can use them ${where} now.` : `You can use them ${where}. Nothing to pay.`}
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">Account</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      {isRedeemed ? (
        <a href="/account" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          Show your credits
        </a>
      ) : (
        <ArmedButton
          size="large"
          className="w-full"
          busy={isRunning}
          onClick={async () => setRedeemed((await run({ code })).ok)}
        >
          Accept {credits} credits
        </ArmedButton>
      )}
    </div>
  );
}
