import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * For the button that opens a dialog. It may go with what was done there, as a removed row does: the
 * keyboard then goes on at the page's content, not at the beginning of everything.
 */
export function useTrigger(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const trigger = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    wasOpen.current = isOpen;
  }, [isOpen]);
  useLayoutEffect(
    () => () => {
      if (wasOpen.current || document.activeElement === trigger.current) setTimeout(focusContent);
    },
    [],
  );
  return trigger;
}

function focusContent(): void {
  if (document.activeElement === document.body)
    document.getElementById('content')?.focus({ preventScroll: true });
}
