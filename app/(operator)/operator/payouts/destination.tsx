'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { showDestination } from './actions';

/** Where to pay. Shown on demand, after a confirmation, and recorded in the audit log. */
export function Destination({ payoutId, ending }: { payoutId: string; ending: string }) {
  const [destination, setDestination] = useState<string | null>(null);
  const { run, isRunning, failure } = useAction(showDestination);
  const show = async () => {
    const shown = await run({ payoutId });
    if (shown.ok && shown.value) setDestination(shown.value.destination);
  };
  if (destination !== null) return <CopyField label="destination" value={destination} />;
  return (
    <>
      <span className="mr-3 font-mono text-[13px]">•••• {ending}</span>
      <Button look="secondary" size="small" busy={isRunning} onClick={show}>
        Show destination
      </Button>
      {failure && (
        <div className="mt-2">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
    </>
  );
}
