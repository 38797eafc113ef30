'use client';

import { useRouter } from 'next/navigation';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { leaveTeam } from './actions';

export function LeaveButton({ partnerId }: { partnerId: string }) {
  const router = useRouter();
  return (
    <ConfirmButton
      label="Leave team"
      title="Leave this team?"
      consequence="You immediately lose access to all of its apps. To return, you need a new invitation."
      action={async () => {
        const result = await leaveTeam({ partnerId });
        if (result.ok) router.push('/partner');
        return result;
      }}
    />
  );
}
