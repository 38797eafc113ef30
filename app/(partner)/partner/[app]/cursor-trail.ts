import { addressOf, type Search } from './search';

/**
 * Walking a long list by cursor: the address keeps the cursors of the pages behind, so that one can
 * go back as well as on, and share where one is.
 */

const SEPARATOR = '~';
const MAX_PAGES = 200;

export type Trail = {
  /** Where this page begins; undefined on the first. */
  cursor: string | undefined;
  /** From 1. */
  page: number;
  newer: string | undefined;
  older: string | undefined;
};

/** `next` is the cursor of the page behind this one, if there is one. */
export function followTrail(path: string, search: Search, next: string | undefined): Trail {
  const behind = readTrail(search);
  const link = (cursors: string[]) => addressOf(path, { ...search, at: cursors.join(SEPARATOR) });
  return {
    cursor: behind.at(-1),
    page: behind.length + 1,
    newer: behind.length === 0 ? undefined : link(behind.slice(0, -1)),
    older: next === undefined || behind.length >= MAX_PAGES ? undefined : link([...behind, next]),
  };
}

export function readTrail({ at }: Search): string[] {
  return typeof at === 'string' && at !== '' ? at.split(SEPARATOR) : [];
}
