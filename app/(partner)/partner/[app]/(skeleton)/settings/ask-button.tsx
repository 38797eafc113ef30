'use client';

import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { askForReview } from './actions';

/** Asks an operator to approve the name of the app. */
export function AskButton({ partnerId }: { partnerId: string }) {
  const { run, isRunning, failure } = useAction(askForReview);
  return (
    <>
      <Button look="secondary" size="small" busy={isRunning} onClick={() => run({ partnerId })}>
        Ask for approval
      </Button>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </>
  );
}
