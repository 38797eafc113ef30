'use client';

import { useState } from 'react';
import { Badge } from '@/app/_ui/badge';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { sendTest } from './actions';
import { Response } from './response';
import type { SentNow } from './sent-now';

export function TestEvent({ partnerId }: { partnerId: string }) {
  const [sent, setSent] = useState<SentNow | null>(null);
  const { run, isRunning, failure } = useAction(sendTest);
  const send = async () => {
    setSent(null);
    const result = await run({ partnerId });
    if (result.ok && result.value) setSent(result.value);
  };
  return (
    <div>
      <div className="flex flex-wrap items-center gap-3">
        <Button look="secondary" busy={isRunning} onClick={send}>
          Send test event
        </Button>
        {isRunning && <span className="text-sm text-muted">Waiting up to 5 seconds for your endpoint…</span>}
      </div>
      <div aria-live="polite">
        {failure && (
          <div className="mt-4">
            <Notice kind="danger">{failure.message}</Notice>
          </div>
        )}
        {sent && <Outcome sent={sent} />}
      </div>
    </div>
  );
}

function Outcome({ sent }: { sent: SentNow }) {
  return (
    <div className="mt-4 rounded-lg border border-line p-4">
      <p className="flex flex-wrap items-center gap-2.5 text-sm">
        <Badge look={sent.isDelivered ? 'positive' : 'danger'}>
          {sent.isDelivered ? 'Delivered' : 'Not delivered'}
        </Badge>
        <span>{sent.outcome}</span>
        <span className="text-muted tabular-nums">{sent.durationMs} ms</span>
      </p>
      <Response text={sent.response} />
    </div>
  );
}
