import { notePageFailure } from '@/server/http/page-failures';

/** Next calls this with whatever fails in a page. */
export function onRequestError(error: unknown): void {
  notePageFailure(error);
}
