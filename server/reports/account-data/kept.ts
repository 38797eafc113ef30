import { DAY_MS, HOUR_MS } from '../../base/clock';
import { describeWait } from '../../base/describe-wait';
import { settings } from '../../base/env';
import { TRACES_KEPT_MS } from '../../base/traces';
import { UNANSWERED_KEPT_DAYS } from '../../gateway/counts/unanswered-requests';
import { FILES_KEPT_MS } from '../../gateway/run/batches/file-store';
import { BATCHES_KEPT_MS } from '../../gateway/run/batches/job-store';
import { VIDEOS_KEPT_MS } from '../../gateway/run/videos/job-store';
import { UNDO_MS } from '../../people/change-email';
import { USES_KEPT_MS } from '../../people/keys/uses';
import { CODE_KEPT_MS } from '../../people/sweep-sign-ins';
import { WARNINGS_KEPT_MS } from '../../people/warnings/watch';

/** What the service itself stores about a user, and how long, as it is set up here. */

export type Kept = { what: string; how: string; until: string };

const inDays = (timeMs: number): string => `${timeMs / DAY_MS} days`;

/** What outlives its request. */
const JOBS: readonly Kept[] = [
  {
    what: 'Videos',
    how: 'Where the provider keeps them, encrypted; neither the video nor its prompt',
    until: `${inDays(VIDEOS_KEPT_MS)} after they end`,
  },
  {
    what: 'Files for batches',
    how: 'Encrypted, until you delete them',
    until: inDays(FILES_KEPT_MS),
  },
  {
    what: 'Batches',
    how: 'Names of lines, encrypted; the results are at the provider only',
    until: `${inDays(BATCHES_KEPT_MS)} after they end`,
  },
];

export function listKept(): Kept[] {
  const { KEEP_RESPONSES_MINUTES, KEEP_REPLAYS_HOURS } = settings();
  return [
    {
      what: 'Prompts and responses',
      how: 'Pass through and are not stored, apart from the two that follow',
      until: 'Not stored',
    },
    {
      what: 'Responses that an app refers to later',
      how: 'With their input, encrypted; only of /v1/responses, unless the app sends store: false',
      until:
        KEEP_RESPONSES_MINUTES > 0
          ? `${describeWait(KEEP_RESPONSES_MINUTES * 60)} after the last use`
          : 'Not stored',
    },
    {
      what: 'Responses that an app may ask for again',
      how: 'Encrypted; only of requests with an Idempotency-Key',
      until: KEEP_REPLAYS_HOURS > 0 ? describeWait(KEEP_REPLAYS_HOURS * (HOUR_MS / 1000)) : 'Not stored',
    },
    ...JOBS,
    {
      what: 'Receipts, purchases and invoices',
      how: 'Tokens, prices and charges, never content; signed statements of each day',
      until: 'While your account exists; then without your name, for accounting',
    },
    {
      what: 'Requests without a response',
      how: 'Time, model and the providers that they were sent to',
      until: inDays(UNANSWERED_KEPT_DAYS * DAY_MS),
    },
    {
      what: 'Sign-in codes',
      how: 'When a code was requested and used, and from which network; the code itself as a hash',
      until: describeWait(CODE_KEPT_MS / 1000),
    },
    {
      what: 'Your previous e-mail address',
      how: 'After a change, so that it can be undone',
      until: inDays(UNDO_MS),
    },
    {
      what: 'Networks of keys',
      how: 'As a hash, to notice unusual use',
      until: `${inDays(USES_KEPT_MS)} after the last use`,
    },
    {
      what: 'Cards, browsers and networks, and attempts to pay',
      how: 'As hashes, to notice when many accounts share one',
      until: inDays(TRACES_KEPT_MS),
    },
    {
      what: 'Warnings and alerts by e-mail',
      how: 'Their figures',
      until: inDays(WARNINGS_KEPT_MS),
    },
    {
      what: 'Devices, passkeys, linked sign-ins, keys, limits and settings',
      how: 'Keys and sessions as hashes',
      until: 'While your account exists',
    },
  ];
}
