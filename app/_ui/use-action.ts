'use client';

import { createContext, useContext, useState, useTransition } from 'react';
import type { ActionResult } from './action-result';
import { showToast } from './toasts';

export type Failure = Extract<ActionResult, { ok: false }>;

const UNREACHABLE: Failure = {
  ok: false,
  code: 'offline',
  message: 'We could not reach the server. Check your connection and try again.',
};

/**
 * Asks the user to confirm that they are present; false when they decline. The layout of every page
 * with actions that need it provides the dialog (app/_session/presence-dialog.tsx).
 */
export const AskForPresence = createContext<() => Promise<boolean>>(async () => false);

/**
 * Runs a server action: says whether it is running, shows its success as a toast and keeps its refusal
 * until the next attempt. An action that needs a confirmation asks for it and is then repeated with the
 * same input. `run` returns the action's result.
 */
export function useAction<Input extends unknown[], Value = undefined>(
  action: (...input: Input) => Promise<ActionResult<Value>>,
) {
  const [isPending, startTransition] = useTransition();
  const [isAsking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const askForPresence = useContext(AskForPresence);

  const attempt = (...input: Input): Promise<ActionResult<Value>> =>
    new Promise((resolve) => {
      startTransition(async () => resolve(await action(...input).catch((): Failure => UNREACHABLE)));
    });

  // Outside the transition: React finishes none while another runs, and the dialog has its own.
  const confirm = async (): Promise<boolean> => {
    setAsking(true);
    const isConfirmed = await askForPresence();
    setAsking(false);
    return isConfirmed;
  };

  const run = async (...input: Input): Promise<ActionResult<Value>> => {
    let result = await attempt(...input);
    if (!result.ok && result.stepUp && (await confirm())) result = await attempt(...input);
    setFailure(result.ok ? null : result);
    if (result.ok && result.message) showToast(result.message);
    if (!result.ok && result.signedOut) signInAgain();
    return result;
  };

  return { run, isRunning: isPending || isAsking, failure, clearFailure: () => setFailure(null) };
}

/** Back to this page after the sign-in. */
function signInAgain(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?return=${encodeURIComponent(here)}`);
}
