import { useEffect, useRef } from 'react';

/**
 * The button that opened a dialog may disappear with the action, as in a removed row. The focus then
 * moves to the page's content instead of the start of the document.
 */
export function useFocusAfter(isOpen: boolean): void {
  const wasOpened = useRef(false);
  useEffect(() => {
    if (isOpen) wasOpened.current = true;
  }, [isOpen]);
  useEffect(
    () => () => {
      // Once the dialog has released the page, which cannot take focus while it is open.
      if (wasOpened.current) setTimeout(focusContent);
    },
    [],
  );
}

function focusContent(): void {
  if (document.activeElement === document.body)
    document.getElementById('content')?.focus({ preventScroll: true });
}
