'use client';

import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import {
  ApiRefusal,
  findUsage,
  makeImage,
  readBalance,
  speak,
  streamResponse,
} from '../../_requests/call-api';
import { needsCheckout } from '../../_requests/describe-problem';
import { INITIAL_STATE, reduce } from './demo-state';
import { PICTURE_MODEL, SPEECH_MODEL } from './prompt-form';
import { useWidget } from './use-widget';
import { type DemoOptions, initOptions, openOptions, readDemoOptions } from './widget-options';

type Setup = { publishableKey: string; scriptUrl: string; checkoutUrl: string; apiUrl: string };

/** The demo app: the widget, the signed-in user's balance, and one request to a model at a time. */
export function useDemo({ apiUrl, ...setup }: Setup) {
  const [state, dispatch] = useReducer(reduce, INITIAL_STATE);
  const options = useUrlOptions();
  const initial = useMemo(() => options && initOptions(options), [options]);
  const { widget, failed, log } = useWidget(setup, initial, {
    credits: (userKey, balance) => dispatch({ type: 'credits_changed', userKey, balance }),
    loggedOut: () => dispatch({ type: 'signed_out' }),
  });
  const running = useRef<AbortController | null>(null);

  const refreshBalance = useCallback(
    async (key: string) => {
      try {
        dispatch({ type: 'balance_read', balance: (await readBalance(apiUrl, key)).balance });
      } catch (error) {
        // The key was revoked elsewhere: the user signs in again when the checkout opens next.
        if (error instanceof ApiRefusal && error.type === 'invalid_user_key')
          dispatch({ type: 'key_changed', userKey: null });
      }
    },
    [apiUrl],
  );

  useEffect(() => {
    const userKey = widget?.getUserKey() ?? null;
    dispatch({ type: 'key_changed', userKey });
    if (userKey !== null) void refreshBalance(userKey);
  }, [widget, refreshBalance]);

  async function send(model: string, prompt: string): Promise<void> {
    const key = widget?.getUserKey() ?? null;
    if (key === null) return void widget?.open();
    running.current = new AbortController();
    const { signal } = running.current;
    dispatch({ type: 'request_started' });
    try {
      const requestId = await respond(key, model, prompt, signal);
      dispatch({ type: 'usage_read', usage: await findUsage(apiUrl, key, requestId) });
    } catch (error) {
      if (!signal.aborted) dispatch({ type: 'request_failed', error });
      if (!signal.aborted && needsCheckout(error)) void widget?.open();
    }
    dispatch({ type: 'request_ended' });
    await refreshBalance(key);
  }

  /** Returns the id of the request. */
  async function respond(key: string, model: string, prompt: string, signal: AbortSignal) {
    if (model === PICTURE_MODEL || model === SPEECH_MODEL) {
      const kind = model === PICTURE_MODEL ? 'picture' : 'speech';
      const { requestId, url } =
        kind === 'picture'
          ? await makeImage(apiUrl, key, { model, prompt, signal })
          : await speak(apiUrl, key, { model, input: prompt, signal });
      dispatch({ type: 'media_received', media: { kind, url } });
      return requestId;
    }
    const messages = [{ role: 'user', content: prompt }] as const;
    return streamResponse(apiUrl, key, { model, messages, signal }, (text) =>
      dispatch({ type: 'text_received', text }),
    );
  }

  return {
    state,
    options,
    log,
    hasFailed: failed,
    isReady: widget !== null,
    buy: () => widget?.open(options ? openOptions(options) : undefined),
    send,
    stop: () => running.current?.abort(),
  };
}

/** Null until the browser's URL can be read. */
function useUrlOptions(): DemoOptions | null {
  const [options, setOptions] = useState<DemoOptions | null>(null);
  useEffect(() => setOptions(readDemoOptions(window.location.search)), []);
  return options;
}
