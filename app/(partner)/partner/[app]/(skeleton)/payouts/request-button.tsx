'use client';

import { ConfirmButton } from '@/app/_ui/confirm-button';
import { askForPayout } from './actions';

type Props = { partnerId: string; label: 'Request payout' | 'Request payout again'; amount: string };

export function RequestButton({ partnerId, label, amount }: Props) {
  return (
    <ConfirmButton
      label={label}
      title={`Request a payout of ${amount}?`}
      consequence="It covers the matured earnings of all apps of your team, up to today."
      action={askForPayout.bind(null, { partnerId })}
      look="primary"
      size="medium"
    />
  );
}
