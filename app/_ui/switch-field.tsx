'use client';

import { Switch } from '@base-ui/react/switch';
import { type ReactNode, useId } from 'react';

type Props = {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
};

/** On or off, at once. */
export function SwitchField({ label, hint, checked, disabled = false, onChange }: Props) {
  const id = useId();
  return (
    <div className="flex items-center justify-between gap-6">
      <div className="min-w-0">
        <span id={id} className="font-medium">
          {label}
        </span>
        {hint && <p className="text-sm text-muted">{hint}</p>}
      </div>
      <Switch.Root
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-labelledby={id}
        className="relative h-6 w-11 shrink-0 rounded-full bg-field transition-colors after:absolute after:inset-x-0 after:-inset-y-2.5 forced-colors:outline forced-colors:data-[checked]:bg-[Highlight] data-[checked]:bg-accent data-[disabled]:opacity-60"
      >
        <Switch.Thumb className="absolute top-0.5 left-0.5 size-5 rounded-full bg-white shadow transition-transform data-[checked]:translate-x-5 dark:bg-page forced-colors:bg-[ButtonText]" />
      </Switch.Root>
    </div>
  );
}
