'use client';

import { ReasonButton } from '../reason-button';
import { credit, dismiss } from './actions';

type Props = { alertId: string; describe: string };

export function DismissButton({ alertId, describe }: Props) {
  return (
    <ReasonButton
      label="Dismiss"
      title="Dismiss this alert?"
      consequence="The alert leaves this list. Nothing changes at the payment processor, and no credits move."
      describe={describe}
      action={(reason) => dismiss({ alertId, reason })}
    />
  );
}

export function CreditButton({ alertId, describe }: Props) {
  return (
    <ReasonButton
      label="Credit"
      title="Credit this payment?"
      consequence="The buyer gets the credits that were ordered, and the app is notified, as for any purchase."
      describe={describe}
      look="primary"
      action={(reason) => credit({ alertId, reason })}
    />
  );
}
