import type { ReactNode } from 'react';
import { Spinner } from '../_ui/spinner';

/** The sheet around every checkout page: fills its frame, or is centred in a wide window. */
export function Panel({ footer, children }: { footer?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col bg-surface sm:bg-sunken sm:p-6 sm:dark:bg-page">
      <div className="flex w-full flex-1 flex-col bg-surface sm:m-auto sm:min-h-[41rem] sm:max-w-[28rem] sm:flex-none sm:rounded-2xl sm:border sm:border-line sm:shadow-[0_16px_48px_-24px_rgb(0_0_0/0.25)]">
        {/* A focused field stays clear of the buttons that are always in view. */}
        <main className="mx-auto flex w-full max-w-[28rem] flex-1 flex-col px-6 pt-3 sm:px-8 sm:pt-5 [&_:is(input,select,summary)]:scroll-mb-40">
          {children}
        </main>
        <footer className="flex min-h-12 items-center justify-center px-6 pb-[max(0.75rem,env(safe-area-inset-bottom))] pt-3 text-center text-[0.8125rem] text-muted">
          {footer}
        </footer>
      </div>
    </div>
  );
}

/** Shown while the checkout loads. */
export function OpeningMessage({ text }: { text: string }) {
  return (
    <div role="status" className="grid flex-1 place-content-center justify-items-center gap-3 text-muted">
      <Spinner />
      <h1 className="tracking-normal">{text}</h1>
    </div>
  );
}

/** A message that fills the sheet. */
export function FullMessage({
  title,
  icon,
  children,
}: {
  title: string;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="animate-appear flex flex-1 flex-col items-center justify-center gap-2 py-8 text-center">
      {icon && <div className="mb-3">{icon}</div>}
      <h1 className="text-xl font-semibold">{title}</h1>
      {children}
    </div>
  );
}

const RING = 'grid size-14 place-items-center rounded-full';

export function CheckMark() {
  return (
    <span className={`${RING} bg-positive-soft text-positive`}>
      <svg width="26" height="26" viewBox="0 0 24 24" fill="none" aria-hidden="true">
        <path
          d="m5.5 12.5 4.2 4.2 8.8-9.2"
          stroke="currentColor"
          strokeWidth="2.25"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </span>
  );
}

export function WarningMark() {
  return (
    <span className={`${RING} bg-danger-soft text-danger`}>
      <svg width="26" height="26" viewBox="0 0 24 24" fill="none" aria-hidden="true">
        <path d="M12 7v6" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
        <circle cx="12" cy="16.75" r="1.4" fill="currentColor" />
      </svg>
    </span>
  );
}
