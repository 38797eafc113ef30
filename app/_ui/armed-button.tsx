'use client';

import { type ComponentProps, useRef } from 'react';
import { Button } from './button';
import { useArmed } from './use-armed';

type Props = Omit<ComponentProps<typeof Button>, 'isInactive'> & {
  /** For a button that the page around our frame may not cover: what to say if it does. */
  coveredHint?: string;
};

/** A button that decides something: it works only after a user could see it for a second. */
export function ArmedButton({ coveredHint, ...button }: Props) {
  const surface = useRef<HTMLSpanElement>(null);
  const state = useArmed(surface);
  const isInactive = state !== 'armed';
  if (coveredHint === undefined) return <Button {...button} isInactive={isInactive} />;
  return (
    <>
      <div className="relative">
        <Button {...button} isInactive={isInactive} />
        {/* Watched instead of the button, whose own look changes. */}
        <span ref={surface} aria-hidden="true" className="pointer-events-none absolute inset-0" />
      </div>
      {state === 'covered' && (
        <p role="status" className="mt-2 text-sm text-muted">
          {coveredHint}
        </p>
      )}
    </>
  );
}
