import type { ReactNode } from 'react';

type Props = {
  id: string;
  label: string;
  /** The label is read out but not shown, for a row of filters. */
  labelHidden?: boolean;
  hint?: ReactNode;
  error?: string | undefined;
  className?: string;
  children: ReactNode;
};

/** The frame of every field: its label above, and its hint or error below. What follows is 20 pixels away (`fields`). */
export function Field({ id, label, labelHidden = false, hint, error, className, children }: Props) {
  return (
    <div className={className}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'mb-1.5 block text-sm font-medium'}>
        {label}
      </label>
      {children}
      {/* Exists before its text, so that screen readers announce it. */}
      <p
        id={`${id}-note`}
        aria-live="polite"
        className={`text-sm not-empty:mt-1.5 ${error ? 'text-danger' : 'text-muted'}`}
      >
        {error ?? hint}
      </p>
    </div>
  );
}

/** What a field's control says about its hint and error. */
export const noted = (id: string, { hint, error }: Pick<Props, 'hint' | 'error'>) => ({
  id,
  'aria-invalid': error ? true : undefined,
  'aria-describedby': error || hint ? `${id}-note` : undefined,
});

export const borderOf = (error: string | undefined): string =>
  error ? 'border-danger' : 'border-field/60 hover:border-field';
