import { type RefObject, useEffect, useRef } from 'react';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** On submit, moves focus to the first invalid field; while typing, focus stays. */
export function useFocusOnError<Element extends Field>(error: string | undefined): RefObject<Element | null> {
  const field = useRef<Element>(null);
  useEffect(() => {
    const pressed = document.activeElement;
    const isSubmit = pressed instanceof HTMLButtonElement && pressed.type === 'submit';
    if (error && isSubmit && pressed.form === field.current?.form) field.current?.focus();
  }, [error]);
  return field;
}
