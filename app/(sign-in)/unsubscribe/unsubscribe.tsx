'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import type { Subscription } from '@/server/base/unsubscribe-link';
import { joinSentences } from '@/texts/say';
import { unsubscribeByMail } from './actions';

type Props = { texts: PageTexts<'unsubscribe'>; token: string; kind: Subscription['kind']; isOn: boolean };

export function Unsubscribe({ texts, token, kind, isOn: wasOn }: Props) {
  const { say, shared, language } = speakPage(texts);
  const { run, isRunning, failure } = useAction(unsubscribeByMail);
  const [isOn, setOn] = useState(wasOn);
  const end = async () => {
    if ((await run({ token })).ok) setOn(false);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isOn ? say.ask : say.ended}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {joinSentences(language, [
          isOn ? say.askText[kind] : say.endedText[kind],
          kind === 'alerts' ? say.againForTeam : say.again,
        ])}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {failure.code === 'link_expired' ? say.expired : describeRefusal(failure, shared)}
          </Notice>
        </div>
      )}
      {isOn ? (
        <Button size="large" className="w-full" busy={isRunning} onClick={() => void end()}>
          {say.unsubscribe}
        </Button>
      ) : (
        <a
          href={kind === 'alerts' ? '/partner' : '/account/limits#mails'}
          className={`${buttonClass({ look: 'secondary' })} w-full`}
        >
          {kind === 'alerts' ? say.dashboard : say.choose}
        </a>
      )}
    </div>
  );
}
