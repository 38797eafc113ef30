import { type RefObject, useEffect } from 'react';

/**
 * What a user entered before the scripts of the page had loaded, or what the browser filled in, remains in
 * the field, but React notices only later changes. This repeats the event for `onChange`.
 */
export function useEarlyInput(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const input = field.current;
    if (input === null) return;
    // React writes its own values into the defaults.
    const { type, value, defaultValue, checked, defaultChecked } = input;
    if (type === 'radio' && checked && !defaultChecked) {
      input.checked = false;
      input.click();
    } else if (type !== 'radio' && value !== defaultValue) {
      // React ignores an event after which the field has the value that React last saw.
      input.value = defaultValue;
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }, [field]);
}
