'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { removeCard } from './actions';

type Props = { cardId: string; name: string; endsTopUp: boolean };

export function RemoveCard({ cardId, name, endsTopUp }: Props) {
  return (
    <ConfirmButton
      label="Remove"
      describe={name}
      title="Remove this card?"
      consequence={
        <>
          <strong>{name}</strong> is deleted at our payment processor.{' '}
          {endsTopUp && 'Auto top-up uses this card and is turned off. '}
          Your purchases and receipts stay.
        </>
      }
      action={() => removeCard({ cardId })}
    />
  );
}
