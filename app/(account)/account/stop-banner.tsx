'use client';

import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { Time } from '@/app/_ui/time';
import { useAction } from '@/app/_ui/use-action';
import { resumeMyApps } from './(skeleton)/limits/actions';

/** On every page while no app may spend. */
export function StopBanner({ at }: { at: string }) {
  const { run, isRunning, failure } = useAction(resumeMyApps);
  return (
    <div className="mb-6">
      <Notice kind="warning">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p>
            <strong>You stopped all apps</strong> on <Time at={at} />. No app can spend your credits.
            {failure && <span className="mt-1 block text-danger">{failure.message}</span>}
          </p>
          <Button look="secondary" size="small" busy={isRunning} onClick={() => void run({ partnerId: '' })}>
            Resume all apps
          </Button>
        </div>
      </Notice>
    </div>
  );
}
