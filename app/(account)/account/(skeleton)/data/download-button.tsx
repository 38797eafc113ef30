'use client';

import { Download } from 'lucide-react';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { startExport } from './actions';

/** Asks for a confirmation if the last one is too old, then downloads the file. */
export function DownloadButton() {
  const { run, isRunning, failure } = useAction(startExport);
  const download = async () => {
    if ((await run(undefined)).ok) window.location.assign('/account/data/export');
  };
  return (
    <div className="flex flex-col items-start gap-4">
      <Button busy={isRunning} onClick={download}>
        <Download size={17} aria-hidden="true" />
        Download my data
      </Button>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}
