import { type Search, urlOf } from './search';

/**
 * Pages through a long list by cursor: the URL keeps the cursors of earlier pages, so that users can
 * go back as well as forward and share the current page.
 */

const SEPARATOR = '~';
const MAX_PAGES = 200;

export type Trail = {
  /** Where this page starts; undefined on the first. */
  cursor: string | undefined;
  /** Counted from 1. */
  page: number;
  newer: string | undefined;
  older: string | undefined;
};

/** `next` is the cursor of the following page, if there is one. */
export function followTrail(path: string, search: Search, next: string | undefined): Trail {
  const behind = readTrail(search);
  const link = (cursors: string[]) => urlOf(path, { ...search, at: cursors.join(SEPARATOR) });
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
