'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { countCredits } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { textOf } from '@/texts/say';
import { redeem } from './actions';

type Props = {
  texts: PageTexts<'redeem'>;
  code: string;
  credits: number;
  appName: string | null;
  email: string;
};

export function RedeemGift({ texts, code, credits, appName, email }: Props) {
  const { say, shared, language } = speakPage(texts);
  const count = countCredits(credits, language);
  const { run, isRunning, failure } = useAction(redeem);
  const [isRedeemed, setRedeemed] = useState(false);
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isRedeemed ? say.added({ count }) : say.gift({ count })}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {appName === null
          ? isRedeemed
            ? say.addedTextAnyApp
            : say.giftTextAnyApp
          : (isRedeemed ? say.addedText : say.giftText)({ app: appName })}
      </p>
      <dl className="mb-6 grid gap-3 rounded-xl bg-sunken p-4 text-sm">
        <div>
          <dt className="text-muted">{say.account}</dt>
          <dd className="font-medium wrap-anywhere">{email}</dd>
        </div>
      </dl>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {textOf(shared.say.codeRefusals, failure.code) ?? describeRefusal(failure, shared)}
          </Notice>
        </div>
      )}
      {isRedeemed ? (
        <a href="/account" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          {say.credits}
        </a>
      ) : (
        <ArmedButton
          size="large"
          className="w-full"
          busy={isRunning}
          onClick={async () => setRedeemed((await run({ code })).ok)}
        >
          {say.accept({ count })}
        </ArmedButton>
      )}
    </div>
  );
}
