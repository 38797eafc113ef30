'use client';

import { useRouter } from 'next/navigation';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { addOrigin } from '../[app]/(skeleton)/integration/address-actions';

export function AddOrigin({ partnerId, origin }: { partnerId: string; origin: string }) {
  const router = useRouter();
  const { run, isRunning, failure } = useAction(addOrigin);
  const add = async () => {
    if ((await run({ partnerId, origin })).ok) router.push(`/partner/${partnerId}/integration`);
  };
  return (
    <>
      {failure && (
        <div className="mb-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <ArmedButton size="large" className="w-full" busy={isRunning} onClick={() => void add()}>
        Add origin
      </ArmedButton>
    </>
  );
}
