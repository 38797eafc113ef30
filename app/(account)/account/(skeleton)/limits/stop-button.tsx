'use client';

import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { resumeMyApps, stopMyApps } from './actions';

/** Stops with one click; resuming asks for a confirmation. */
export function StopButton({
  partnerId,
  name,
  isStopped,
}: {
  partnerId: string;
  name: string;
  isStopped: boolean;
}) {
  const { run, isRunning, failure } = useAction(isStopped ? resumeMyApps : stopMyApps);
  return (
    <>
      <Button
        look={isStopped ? 'secondary' : 'danger'}
        busy={isRunning}
        onClick={() => void run({ partnerId })}
      >
        {isStopped ? 'Resume' : 'Stop'} {partnerId === '' ? name : 'this app'}
      </Button>
      {failure && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
    </>
  );
}
