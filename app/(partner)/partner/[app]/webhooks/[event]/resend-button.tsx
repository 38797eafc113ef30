'use client';

import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { resend } from '../../(skeleton)/webhooks/actions';

type Props = { partnerId: string; eventId: string; canResend: boolean; isRunning: boolean };

/** One more attempt with the same id and bytes, so that receivers can recognise a repeated event. */
export function ResendButton({ partnerId, eventId, canResend, isRunning }: Props) {
  const { run, isRunning: isSending, failure } = useAction(resend);
  if (!canResend)
    return (
      <p className="max-w-[36ch] text-sm text-muted">
        {isRunning
          ? 'An attempt is in progress.'
          : 'Cannot be resent: it contained a user key, which is not kept.'}
      </p>
    );
  return (
    <div className="flex flex-col items-end gap-2">
      <Button look="secondary" busy={isSending} onClick={() => run({ partnerId, eventId })}>
        Resend
      </Button>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}
