'use client';

import { type ReactNode, useEffect, useRef } from 'react';

/** The heading of a step. Takes focus if no field does, so that screen readers announce the new step. */
export function StepTitle({ children, focus = true }: { children: ReactNode; focus?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focus) heading.current?.focus({ preventScroll: true });
  }, [focus]);
  return (
    <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
      {children}
    </h1>
  );
}
