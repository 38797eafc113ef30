'use client';

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react';
import type { Words } from '../messages';
import { createActions } from './actions';
import { createApi } from './api';
import { guardsUnload, INITIAL_STATE, isPaying, reduce } from './checkout-state';
import { useCloseGuard } from './use-close-guard';
import { useHost } from './use-host';
import { useWords } from './use-words';

type Checkout = {
  visitId: string;
  origin: string;
  words: Words;
  /** Unless the app chose the language. */
  followsAccount: boolean;
};

/** The state of the checkout and the actions that change it. `actions` is null until we are connected. */
export function useCheckout({ visitId, origin, words: first, followsAccount }: Checkout) {
  const api = useMemo(() => createApi(visitId), [visitId]);
  const [state, dispatch] = useReducer(reduce, INITIAL_STATE);
  const words = useWords(first, followsAccount ? (state.visit?.language ?? null) : null);
  const { link: host, orphaned } = useHost(origin, () => dispatch({ type: 'close_requested' }));
  const actions = useMemo(() => host && createActions({ api, host, words, dispatch }), [api, host, words]);
  const paying = isPaying(state.step);
  const releaseWindow = useCloseGuard(guardsUnload(state.step));
  const isStarted = useRef(false);
  const isDismissed = useRef(false);

  useEffect(() => {
    if (!actions || isStarted.current) return;
    isStarted.current = true;
    if (isDismissed.current) actions.close();
    else void actions.start();
  }, [actions]);

  const mayHaveCards = state.visit?.has_cards === true && state.cards === null;
  useEffect(() => {
    if (mayHaveCards) void actions?.readCards();
  }, [actions, mayHaveCards]);

  // Before the step is painted: the page around us decides by it whether a click outside may close us.
  useLayoutEffect(() => {
    host?.send({ t: 'paying', paying });
  }, [host, paying]);

  useEscapeKey(!state.isLeaving, () => {
    if (paying) dispatch({ type: 'close_requested' });
    else if (actions) actions.close();
    else isDismissed.current = true;
  });

  const leave = () => {
    releaseWindow();
    actions?.close();
  };
  return { state, dispatch, api, host, orphaned, words, actions, leave };
}

/** The page around our frame does not receive keys pressed inside it. */
function useEscapeKey(isOn: boolean, onEscape: () => void): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    if (!isOn) return;
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      // Otherwise the same key press would close the prompt it opens.
      event.preventDefault();
      latest.current();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isOn]);
}
