'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { removeMyPasskey } from './passkey-actions';

export function RemovePasskey({ passkeyId, name }: { passkeyId: string; name: string }) {
  return (
    <ConfirmButton
      label="Remove"
      describe={name}
      title="Remove this passkey?"
      consequence={
        <>
          <strong className="wrap-anywhere">{name}</strong> can no longer sign in to your account. Delete it
          on your device too, or your device will keep offering it.
        </>
      }
      action={() => removeMyPasskey({ passkeyId })}
    />
  );
}
