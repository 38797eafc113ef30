'use client';

import { ReasonButton } from '../reason-button';
import { credit, dismiss } from './actions';

type Props = { alertId: string; describe: string };

export function DismissButton({ alertId, describe }: Props) {
  return (
    <ReasonButton
      label="Dismiss"
      title="Dismiss this alert?"
      consequence="Removes the alert from this list. The payment and the credits do not change."
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
      consequence="The buyer gets the ordered credits, and the app is notified."
      describe={describe}
      look="primary"
      action={(reason) => credit({ alertId, reason })}
    />
  );
}
