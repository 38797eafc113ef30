'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { confirmTopUp } from './actions';

/** Leads to the bank. */
export function ConfirmPayment({ sessionId }: { sessionId: string }) {
  const router = useRouter();
  const [isLeaving, setLeaving] = useState(false);
  const { run, isRunning, failure } = useAction(confirmTopUp);
  async function confirm() {
    const result = await run({ sessionId });
    if (!result.ok || !result.value) return;
    if (result.value.bankUrl === null) return router.refresh();
    setLeaving(true);
    window.location.assign(result.value.bankUrl);
  }
  return (
    <>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <ArmedButton busy={isRunning || isLeaving} onClick={() => void confirm()}>
        Continue to your bank
      </ArmedButton>
    </>
  );
}
