import { useEffect, useRef } from 'react';

/**
 * The button that opens a dialog may go with what was done there, as a removed row does: the keyboard
 * then goes on at the page's content, not at the beginning of everything.
 */
export function useFocusAfter(isOpen: boolean): void {
  const wasOpened = useRef(false);
  useEffect(() => {
    if (isOpen) wasOpened.current = true;
  }, [isOpen]);
  useEffect(
    () => () => {
      // Once the dialog has given the page free, which nobody could enter while it was open.
      if (wasOpened.current) setTimeout(focusContent);
    },
    [],
  );
}

function focusContent(): void {
  if (document.activeElement === document.body)
    document.getElementById('content')?.focus({ preventScroll: true });
}
