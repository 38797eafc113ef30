'use client';

import { type FormEvent, useState } from 'react';
import { formatCredits } from '@/app/_ui/amount';
import { ArmedButton } from '@/app/_ui/armed-button';
import { Button } from '@/app/_ui/button';
import { ConfirmButton } from '@/app/_ui/confirm-button';
import { Notice } from '@/app/_ui/notice';
import { TextField } from '@/app/_ui/text-field';
import { useAction } from '@/app/_ui/use-action';
import { pauseAllowance, removeAllowance, resumeAllowance, saveAllowance } from './actions';

type Props = {
  partnerId: string;
  appName: string;
  /** What is left; null when no allowance is set. */
  left: number | null;
  paused: number | null;
  isSuspended: boolean;
};

const SUGGESTIONS = [100, 500, 1000];
const show = (credits: number) => formatCredits(credits, 'en', 6);

export function Allowance(props: Props) {
  const { appName, paused, isSuspended } = props;
  if (isSuspended) {
    return (
      <>
        <p className="mb-4 text-sm text-muted">{appName} is disabled. You can only remove its allowance.</p>
        <Changes {...props} />
      </>
    );
  }
  return (
    <>
      {paused !== null && <Resting {...props} paused={paused} />}
      <SaveForm {...props} />
      <Changes {...props} />
    </>
  );
}

function Resting({ partnerId, paused }: Props & { paused: number }) {
  const { run, isRunning, failure } = useAction(resumeAllowance);
  return (
    <div className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken px-4 py-3 text-sm">
      <span>
        Paused with <strong className="tabular-nums">{show(paused)}</strong> credits left.
      </span>
      <ArmedButton look="secondary" size="small" busy={isRunning} onClick={() => void run({ partnerId })}>
        Resume
      </ArmedButton>
      {failure && <Notice kind="danger">{failure.message}</Notice>}
    </div>
  );
}

/** Saving replaces the allowance; it does not add to what was left. */
function SaveForm({ partnerId, appName, left }: Props) {
  const [typed, setTyped] = useState(left === null ? '' : show(left).replaceAll(',', ''));
  const { run, isRunning, failure, clearFailure } = useAction(saveAllowance);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void run({ partnerId, credits: typed });
  };
  return (
    <form onSubmit={save} noValidate className="max-w-md">
      <TextField
        label="Credits it can spend from now on"
        name="credits"
        inputMode="decimal"
        autoComplete="off"
        placeholder="500"
        value={typed}
        hint={`${left === null ? '' : `Replaces the ${show(left)} left. `}100 credits are worth $1.`}
        error={failure?.field === 'credits' ? failure.message : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          clearFailure();
        }}
      />
      <div className="mt-2 flex flex-wrap gap-2">
        {SUGGESTIONS.map((credits) => (
          <Button key={credits} look="secondary" size="small" onClick={() => setTyped(String(credits))}>
            {show(credits)}
          </Button>
        ))}
      </div>
      {failure && failure.field !== 'credits' && (
        <div className="mt-4">
          <Notice kind="danger">{failure.message}</Notice>
        </div>
      )}
      <ArmedButton
        type="submit"
        busy={isRunning}
        className="mt-5"
        aria-label={`Save allowance for ${appName}`}
      >
        Save allowance
      </ArmedButton>
    </form>
  );
}

function Changes({ partnerId, appName, left, paused }: Props) {
  const pause = useAction(pauseAllowance);
  if (left === null && paused === null) return null;
  return (
    <div className="mt-6 flex flex-wrap items-center gap-2 border-t border-line pt-5">
      {left !== null && left > 0 && (
        <Button
          look="secondary"
          size="small"
          busy={pause.isRunning}
          onClick={() => void pause.run({ partnerId })}
        >
          Pause
        </Button>
      )}
      <ConfirmButton
        label="Remove allowance"
        title={`Remove the allowance for ${appName}?`}
        consequence={`${appName} can then only spend credits bought in it. Requests in progress may still finish. You can add an allowance again at any time.`}
        action={() => removeAllowance({ partnerId })}
      />
      {left !== null && left > 0 && (
        <p className="w-full text-[13px] text-muted">
          Pausing keeps what is left for later. {appName} can still spend credits bought in it; stop it to end
          all spending.
        </p>
      )}
      {pause.failure && <Notice kind="danger">{pause.failure.message}</Notice>}
    </div>
  );
}
