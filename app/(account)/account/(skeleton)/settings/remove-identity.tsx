'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { removeMyIdentity } from './identity-actions';

export function RemoveIdentity({ identityId, name }: { identityId: string; name: string }) {
  return (
    <ConfirmButton
      label="Remove"
      describe={name}
      title="Remove this sign-in?"
      consequence={
        <>
          <strong className="wrap-anywhere">{name}</strong> no longer signs in to your account, unless you
          link it again with a code.
        </>
      }
      action={() => removeMyIdentity({ identityId })}
    />
  );
}
