'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { removeCard } from './actions';

export function RemoveCard({ cardId, name }: { cardId: string; name: string }) {
  return (
    <ConfirmButton
      label="Remove"
      describe={name}
      title="Remove this card?"
      consequence={
        <>
          <strong>{name}</strong> is deleted at our payment processor. Your purchases and receipts stay.
        </>
      }
      action={() => removeCard({ cardId })}
    />
  );
}
