'use client';

import { ReasonButton } from '../reason-button';
import { dismissAlert } from './actions';

export function DismissButton({ alertId, describe }: { alertId: string; describe: string }) {
  return (
    <ReasonButton
      label="Put aside"
      title="Put this alert aside?"
      consequence="It leaves this list. Nothing changes at the processor and no credits move."
      describe={describe}
      action={(reason) => dismissAlert({ alertId, reason })}
    />
  );
}
