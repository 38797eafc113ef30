'use client';

import { useState, useTransition } from 'react';
import type { ActionResult } from './action-result';
import { showToast } from './toasts';

type Failure = Extract<ActionResult, { ok: false }>;

const UNREACHABLE: Failure = {
  ok: false,
  message: 'We could not reach the server. Check your connection and try again.',
};

/**
 * Runs a server action: says whether it is running, shows its success as a toast and keeps its refusal
 * until the next attempt. `run` returns the action's result.
 */
export function useAction<Input extends unknown[], Value = undefined>(
  action: (...input: Input) => Promise<ActionResult<Value>>,
) {
  const [isRunning, startTransition] = useTransition();
  const [failure, setFailure] = useState<Failure | null>(null);

  const run = (...input: Input): Promise<ActionResult<Value>> =>
    new Promise((resolve) => {
      startTransition(async () => {
        const result = await action(...input).catch((): Failure => UNREACHABLE);
        setFailure(result.ok ? null : result);
        if (result.ok && result.message) showToast(result.message);
        if (!result.ok && result.stepUp) askToSignInAgain();
        resolve(result);
      });
    });

  return { run, isRunning, failure, clearFailure: () => setFailure(null) };
}

/** Back to this page after a new sign-in. */
function askToSignInAgain(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?again=1&return=${encodeURIComponent(here)}`);
}
