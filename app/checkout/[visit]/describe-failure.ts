import type { Messages } from '../messages';
import { failureCode } from './api';

/** What to tell the user of a request that failed, where no field is to blame. */
export function describeFailure(error: unknown, say: Messages): string {
  switch (failureCode(error)) {
    case 'offline':
      return say.offline;
    case 'rate_limited':
      return say.tooMany;
    default:
      return say.wrong;
  }
}
