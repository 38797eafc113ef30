import { notePageFailure } from '@/server/base/http/page-failures';

/** Next calls this with every error thrown while rendering a page. */
export function onRequestError(error: unknown): void {
  notePageFailure(error);
}
