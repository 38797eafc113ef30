'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { beginRotation, cancelRotation, finishRotation, showSecrets } from './actions';

type Props = { partnerId: string; isRotating: boolean };
type Shown = { secret: string; nextSecret: string | null };

/** Shown to the owner in person only; replaced in two steps, so that no delivery is refused meanwhile. */
export function SigningSecret({ partnerId, isRotating }: Props) {
  const [shown, setShown] = useState<Shown | null>(null);
  const reveal = useAction(showSecrets);
  const begin = useAction(beginRotation);
  const show = async () => {
    const result = await reveal.run({ partnerId });
    if (result.ok && result.value) setShown(result.value);
  };
  const start = async () => {
    const result = await begin.run({ partnerId });
    if (result.ok && result.value) setShown(result.value);
  };
  const failure = reveal.failure ?? begin.failure;
  return (
    <div className="flex flex-col gap-4">
      {shown === null ? (
        <Hidden />
      ) : (
        <Secret label={isRotating ? 'current secret, signs now' : 'signing secret'} value={shown.secret} />
      )}
      {isRotating && shown?.nextSecret && <Secret label="next secret" value={shown.nextSecret} />}
      {isRotating && (
        <Notice kind="info">
          A next secret waits. Let your receiver accept signatures of both, then switch: from the next attempt
          on, the next one signs and the current one is gone.
        </Notice>
      )}
      {failure && !failure.stepUp && <Notice kind="danger">{failure.message}</Notice>}
      <div className="flex flex-wrap gap-2">
        {shown === null ? (
          <Button look="secondary" busy={reveal.isRunning} onClick={show}>
            {isRotating ? 'Show secrets' : 'Show secret'}
          </Button>
        ) : (
          <Button look="secondary" onClick={() => setShown(null)}>
            Hide
          </Button>
        )}
        {isRotating ? (
          <RotationSteps partnerId={partnerId} onDone={() => setShown(null)} />
        ) : (
          <Button look="quiet" busy={begin.isRunning} onClick={start}>
            Rotate…
          </Button>
        )}
      </div>
    </div>
  );
}

function RotationSteps({ partnerId, onDone }: { partnerId: string; onDone: () => void }) {
  const finish = async () => {
    const result = await finishRotation({ partnerId });
    if (result.ok) onDone();
    return result;
  };
  const cancel = async () => {
    const result = await cancelRotation({ partnerId });
    if (result.ok) onDone();
    return result;
  };
  return (
    <>
      <ConfirmButton
        label="Switch to the next secret"
        size="medium"
        title="Switch now?"
        consequence="From the next attempt on, deliveries are signed with the next secret. A receiver that knows the current one only will refuse them."
        action={finish}
      />
      <ConfirmButton
        label="Cancel rotation"
        look="quiet"
        size="medium"
        title="Cancel the rotation?"
        consequence="The next secret is dropped. The current one goes on signing."
        action={cancel}
      />
    </>
  );
}

function Secret({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium first-letter:uppercase">{label}</p>
      <CopyField label={label} value={value} />
    </div>
  );
}

function Hidden() {
  return (
    <p className="rounded-lg border border-line bg-sunken px-3 py-2.5 font-mono text-[13px] text-muted">
      whsec_<span aria-hidden="true">{'•'.repeat(24)}</span>
      <span className="sr-only">hidden</span>
    </p>
  );
}
