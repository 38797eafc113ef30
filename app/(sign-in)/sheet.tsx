import type { ReactNode } from 'react';

/** The minimal page around a sign-in: the service's name and one task. */
export function Sheet({
  brand,
  footer,
  children,
}: {
  brand: string;
  footer?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[400px] flex-col px-6">
      <header className="flex h-20 shrink-0 items-center">
        <a href="/" className="flex h-11 items-center gap-2.5 font-semibold">
          <img src="/icon.svg" alt="" width="28" height="28" />
          {brand}
        </a>
      </header>
      <main className="flex flex-1 flex-col justify-center pb-28">{children}</main>
      {footer && <footer className="pb-6 text-center text-[13px] text-muted">{footer}</footer>}
    </div>
  );
}
