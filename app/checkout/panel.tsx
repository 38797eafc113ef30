import type { ReactNode } from 'react';

/** The sheet every checkout page is drawn on: fills its frame, or stands in the middle of a window. */
export function Panel({ footer, children }: { footer?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col bg-surface">
      <main className="mx-auto flex w-full max-w-[440px] flex-1 flex-col px-6 pt-5 sm:px-8">{children}</main>
      <footer className="mx-auto flex min-h-12 w-full max-w-[440px] items-center justify-center px-6 pb-[max(0.75rem,env(safe-area-inset-bottom))] pt-3 text-center text-[13px] text-muted">
        {footer}
      </footer>
    </div>
  );
}

/** A message that takes the whole sheet. */
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
