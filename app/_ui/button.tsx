import type { ComponentProps } from 'react';
import { Spinner } from './spinner';
import { useIsHydrated } from './use-is-hydrated';

/** In forced-colours mode only the border shows a button, so it gets one there. */
const LOOKS = {
  primary: 'border border-transparent bg-accent text-on-accent hover:bg-accent-hover',
  secondary: 'border border-line bg-surface text-text hover:bg-sunken',
  quiet: 'text-muted hover:text-text hover:bg-sunken',
  danger: 'border border-transparent bg-danger text-on-accent hover:opacity-90',
};

const SIZES = {
  large: 'h-12 px-5 text-base',
  medium: 'h-11 px-4 sm:h-10',
  small: 'h-11 px-3 text-sm sm:h-8',
};

export type ButtonLook = { look?: keyof typeof LOOKS; size?: keyof typeof SIZES };

/** The classes of a button, for a link that looks like one. */
export function buttonClass({ look = 'primary', size = 'medium' }: ButtonLook = {}): string {
  return `inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-[color,background-color,opacity] disabled:opacity-60 ${LOOKS[look]} ${SIZES[size]}`;
}

type Props = ComponentProps<'button'> &
  ButtonLook & {
    busy?: boolean;
    /** Does not work yet, but looks as if it will in a moment. */
    isInactive?: boolean;
  };

export function Button({ look, size, className = '', children, onClick, ...props }: Props) {
  const { busy = false, isInactive = false, ...rest } = props;
  const isOff = busy || isInactive;
  // Until then a click would be lost, and a form would send its fields in the page's URL.
  const isEarly = !useIsHydrated();
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || isEarly}
      // Stays focusable, so that focus does not fall back to the page.
      aria-disabled={isOff || undefined}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
      className={`${buttonClass({ ...(look && { look }), ...(size && { size }) })} relative ${isInactive ? 'cursor-default opacity-75' : ''} ${isEarly && !rest.disabled ? 'opacity-100!' : ''} ${className}`}
    >
      {/* Hidden, but still the button's name. */}
      <span className={busy ? 'inline-flex items-center gap-[inherit] opacity-0' : 'contents'}>
        {children}
      </span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner size={18} />
        </span>
      )}
    </button>
  );
}
