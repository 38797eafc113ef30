import type { ReactNode } from 'react';

/** The buttons of a step: they stay in view when the step is longer than the window, above a hint that more follows. */
export function StepActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky bottom-0 z-10 -mx-1 mt-auto bg-surface px-1 pt-4 pb-3 before:pointer-events-none before:absolute before:inset-x-0 before:-top-5 before:h-5 before:bg-linear-to-t before:from-surface before:to-transparent">
      {children}
    </div>
  );
}
