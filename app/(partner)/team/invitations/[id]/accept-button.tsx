'use client';

import { useRouter } from 'next/navigation';
import { Button } from '@/app/_ui/button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { acceptInvitation } from './actions';

export function AcceptButton({ invitationId }: { invitationId: string }) {
  const router = useRouter();
  const { run, isRunning, failure } = useAction(acceptInvitation);
  const accept = async () => {
    const result = await run({ invitationId });
    if (result.ok) router.push(result.value?.partnerId ? `/partner/${result.value.partnerId}` : '/partner');
  };
  return (
    <>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <Button size="large" busy={isRunning} onClick={accept}>
        Join the team
      </Button>
    </>
  );
}
