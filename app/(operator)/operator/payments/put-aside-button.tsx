'use client';

import { ReasonButton } from '../reason-button';
import { putAside } from './actions';

export function PutAsideButton({ alertId, describe }: { alertId: string; describe: string }) {
  return (
    <ReasonButton
      label="Put aside"
      title="Put this alert aside?"
      consequence="It leaves this list. Nothing changes at the processor and no credits move."
      describe={describe}
      action={(reason) => putAside({ alertId, reason })}
    />
  );
}
