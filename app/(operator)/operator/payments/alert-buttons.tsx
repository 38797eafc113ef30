'use client';

import { ReasonButton } from '../reason-button';
import { dismiss } from './actions';

export function DismissButton({ alertId, describe }: { alertId: string; describe: string }) {
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
