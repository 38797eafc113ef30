import { type RefObject, useEffect, useState } from 'react';

/**
 * Another page can make a user click a button of ours without knowing: it covers our frame with an image that
 * lets clicks through, or opens our window under the pointer between the two clicks of a double-click. So a
 * button that decides something works only after a user could see it for a second.
 */

const ARMING_MS = 1000;
/** Focus that is inside a frame of ours leaves the window without an event, so it is also polled. */
const POLL_MS = 200;
const INPUT = ['pointerdown', 'keydown'];

type State = 'armed' | 'waiting' | 'covered';

/**
 * 'armed' once the window has had the focus and been visible for a second. With an element, in a frame, and
 * in a browser that can tell, that element must also be in view and nothing may cover it or change its look.
 */
export function useArmed(element?: RefObject<HTMLElement | null>): State {
  const [state, setState] = useState<State>('waiting');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const target = canTellCover() ? (element?.current ?? null) : null;
    let afterwards: State = target === null ? 'armed' : 'waiting';
    let isArmed = false;
    function disarm() {
      clearTimeout(timer);
      timer = undefined;
      isArmed = false;
      setState('waiting');
    }
    function update() {
      if (document.visibilityState !== 'visible' || !document.hasFocus()) return disarm();
      timer ??= setTimeout(() => {
        isArmed = true;
        setState(afterwards);
      }, ARMING_MS);
    }
    /** A user who clicks or types on has not noticed this window yet. */
    function startAgain() {
      if (isArmed) return;
      disarm();
      update();
    }
    const stopWatching = watchCover(target, (found) => {
      if (found === afterwards) return;
      afterwards = found;
      disarm();
      update();
    });
    const poll = setInterval(update, POLL_MS);
    update();
    for (const event of ['focus', 'blur']) window.addEventListener(event, update);
    for (const event of INPUT) window.addEventListener(event, startAgain, true);
    document.addEventListener('visibilitychange', update);
    return () => {
      stopWatching();
      clearTimeout(timer);
      clearInterval(poll);
      for (const event of ['focus', 'blur']) window.removeEventListener(event, update);
      for (const event of INPUT) window.removeEventListener(event, startAgain, true);
      document.removeEventListener('visibilitychange', update);
    };
  }, [element]);
  return state;
}

/** Only in a frame can another document cover the element, and only Chromium's IntersectionObserver v2 can tell. */
const canTellCover = (): boolean =>
  window.parent !== window && 'isVisible' in IntersectionObserverEntry.prototype;

/** Missing in TypeScript's types. */
type Entry = IntersectionObserverEntry & { isVisible?: boolean };

/** Reports the state that what is around the element allows. */
function watchCover(element: HTMLElement | null, report: (state: State) => void): () => void {
  if (element === null) return () => {};
  const observer = new IntersectionObserver(
    (entries) => {
      const last = entries.at(-1) as Entry | undefined;
      const isInView = last !== undefined && last.intersectionRatio > 0.99;
      report(!isInView ? 'waiting' : last.isVisible ? 'armed' : 'covered');
    },
    { threshold: [0, 0.5, 0.99, 1], trackVisibility: true, delay: 100 } as IntersectionObserverInit,
  );
  observer.observe(element);
  return () => observer.disconnect();
}
