'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import type { StopOfLink, StopScope } from '@/server/people/stop-by-link';
import { joinSentences } from '@/texts/say';
import { stopByMail } from './actions';

type Props = { texts: PageTexts<'stop'>; token: string; stop: StopOfLink };

/** Stops the app that the mail is about, or all apps. */
export function StopSpending({ texts, token, stop }: Props) {
  const words = speakPage(texts);
  const { say } = words;
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
        {titleOf(say, { name, isAllStopped, isAppStopped, offersApp })}
      </h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {describe(words, { isAllStopped, isAppStopped, offersApp })}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {failure.code === 'link_expired' ? say.expired : describeRefusal(failure, words.shared)}
          </Notice>
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
            {say.stopApp}
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
            {say.stopAll}
          </Button>
        )}
        {(isAllStopped || isAppStopped) && (
          <a href="/account/limits" className={`${buttonClass({ look: 'secondary', size: 'large' })} w-full`}>
            {say.limits}
          </a>
        )}
      </div>
    </div>
  );
}

type State = { isAllStopped: boolean; isAppStopped: boolean; offersApp: boolean };

type Words = ReturnType<typeof speakPage<'stop'>>;

function titleOf(say: Words['say'], { name, ...state }: State & { name: string | null }): string {
  if (state.isAllStopped) return say.allStopped;
  if (state.isAppStopped) return name === null ? say.thisAppStopped : say.appStopped({ app: name });
  if (!state.offersApp) return say.askAll;
  return name === null ? say.askThisApp : say.askApp({ app: name });
}

function describe({ say, language }: Words, { isAllStopped, isAppStopped, offersApp }: State): string {
  if (isAllStopped) return joinSentences(language, [say.allStoppedText, say.resume]);
  if (isAppStopped) return joinSentences(language, [say.appStoppedText, say.resume]);
  return offersApp ? say.askAppText : say.askAllText;
}
