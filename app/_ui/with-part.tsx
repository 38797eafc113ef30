import type { ReactNode } from 'react';

/** A sentence in which one name is an element: a language decides where it comes. */
export function withPart(write: (part: string) => string, part: ReactNode): ReactNode {
  const [before, after] = write('\0').split('\0');
  return (
    <>
      {before}
      {part}
      {after}
    </>
  );
}
