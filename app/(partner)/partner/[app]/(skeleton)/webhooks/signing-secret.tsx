'use client';

import { useState } from 'react';
import { Button } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { CopyField } from '@/app/_ui/copy-field';
import { Notice } from '@/app/_ui/notice';
import { useAction } from '@/app/_ui/use-action';
import { beginRotation, cancelRotation, createSecret, finishRotation, showSecrets } from './actions';

type Props = { partnerId: string; isRotating: boolean };
type Shown = { secret: string; nextSecret: string | null };

/**
 * Shown only to the owner after a recent sign-in. Rotated in two steps, so that no delivery is
 * rejected in between.
 */
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
        <Secret label={isRotating ? 'current secret, in use' : 'signing secret'} value={shown.secret} />
      )}
      {isRotating && shown?.nextSecret && <Secret label="new secret" value={shown.nextSecret} />}
      {isRotating && (
        <Notice kind="info">
          A new secret is ready. Accept both in your receiver, then switch: from the next attempt on, only the
          new one signs.
        </Notice>
      )}
      {failure && <Notice kind="danger">{failure.message}</Notice>}
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

/** Without an endpoint, a secret is created by hand. */
export function NewSecret({ partnerId }: { partnerId: string }) {
  const { run, isRunning, failure } = useAction(createSecret);
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="text-sm text-muted">
        Events are recorded from the time the secret exists. Setting an endpoint also creates it.
      </p>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
      <Button look="secondary" busy={isRunning} onClick={() => run({ partnerId })}>
        Create secret
      </Button>
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
        label="Switch to the new secret"
        size="medium"
        title="Switch now?"
        consequence="From the next attempt on, deliveries are signed with the new secret. A receiver that only knows the current one will reject them."
        action={finish}
      />
      <ConfirmButton
        label="Cancel rotation"
        look="quiet"
        size="medium"
        title="Cancel the rotation?"
        consequence="The new secret is discarded. The current one stays in use."
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
