'use client';

import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useFocusAfter } from './use-focus-after';

/** A dialog opened from another one covers it, backdrop included. */
export const LAYER = 'relative z-50';
export const BACKDROP =
  'fixed inset-0 z-40 bg-black/40 transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0';
export const POPUP =
  'fixed inset-x-0 bottom-0 z-50 max-h-[92dvh] w-full overflow-y-auto rounded-t-2xl border border-line bg-surface p-6 pb-[max(1.5rem,env(safe-area-inset-bottom))] shadow-2xl transition data-[ending-style]:translate-y-2 data-[ending-style]:opacity-0 data-[starting-style]:translate-y-2 data-[starting-style]:opacity-0 sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[460px] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-2xl';

type Props = {
  title: string;
  /** What screen readers call the cross. */
  closeLabel?: string;
  description?: ReactNode;
  trigger?: ReactElement;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** For a form of two columns. */
  wide?: boolean;
  children: ReactNode;
};

/** A window over the page: a sheet on phones, centred elsewhere. Escape closes it. */
export function Dialog({
  title,
  closeLabel = 'Close',
  description,
  trigger,
  open,
  onOpenChange,
  wide = false,
  children,
}: Props) {
  useFocusAfter(open === true);
  return (
    <Base.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      {trigger && <Base.Trigger render={trigger} />}
      <Base.Portal className={LAYER}>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup className={`${POPUP} ${wide ? 'sm:w-[640px]!' : ''}`}>
          <Base.Title className="pr-10 text-lg font-semibold tracking-tight">{title}</Base.Title>
          {description && (
            <Base.Description className="mt-1.5 text-sm text-muted">{description}</Base.Description>
          )}
          <div className="mt-5">{children}</div>
          {/* Last, so that keyboard navigation starts with the content. */}
          <Base.Close
            aria-label={closeLabel}
            className="absolute top-3 right-3 grid size-11 place-items-center rounded-md text-muted hover:bg-sunken hover:text-text sm:top-4 sm:right-4 sm:size-9"
          >
            <X size={18} aria-hidden="true" />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
