'use client';

import { useState } from 'react';
import { type PageTexts, speakPage } from '@/app/_session/page-words';
import { describeRefusal } from '@/app/_session/shared-words';
import { Button, buttonClass } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { undoMyEmailChange } from './actions';

type Props = { texts: PageTexts<'undo'>; token: string; email: string };

export function UndoEmail({ texts, token, email }: Props) {
  const { say, shared } = speakPage(texts);
  const { run, isRunning, failure } = useAction(undoMyEmailChange);
  const [isUndone, setUndone] = useState(false);
  const undo = async () => {
    if ((await run({ token })).ok) setUndone(true);
  };
  return (
    <div className="animate-appear">
      <h1 className="text-2xl font-semibold">{isUndone ? say.undone : say.ask}</h1>
      <p className="mt-1.5 mb-6 text-muted" role="status">
        {isUndone ? say.undoneText({ email }) : say.askText({ email })}
      </p>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">
            {failure.code === 'link_expired' ? say.expired : describeRefusal(failure, shared)}
          </Notice>
        </div>
      )}
      {isUndone ? (
        <a href="/sign-in?return=%2Faccount" className={`${buttonClass({ look: 'secondary' })} w-full`}>
          {shared.say.signIn}
        </a>
      ) : (
        <Button look="danger" size="large" className="w-full" busy={isRunning} onClick={() => void undo()}>
          {say.undo}
        </Button>
      )}
    </div>
  );
}
