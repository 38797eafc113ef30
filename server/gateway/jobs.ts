import { MINUTE_MS, SECOND_MS } from '../base/clock';
import type { Job } from '../base/job';
import { endOverdueReads } from './run/background-reads';
import { forgetFiles } from './run/batches/file-store';
import { forgetBatches } from './run/batches/job-store';
import { lookAfterBatches } from './run/batches/look-after-batches';
import { endStoppedRequests } from './run/cut-off';
import { forgetIdempotentRequests } from './run/idempotent-requests';
import { forgetKeptResponses } from './run/kept-store';
import { forgetVideos } from './run/videos/job-store';
import { lookAfterVideos } from './run/videos/look-after-videos';

export const GATEWAY_JOBS: readonly Job[] = [
  { name: 'background reads', everyMs: 5 * SECOND_MS, run: endOverdueReads },
  { name: 'stopped requests', everyMs: SECOND_MS, run: endStoppedRequests },
  { name: 'kept responses', everyMs: MINUTE_MS, run: forgetKeptResponses },
  { name: 'videos', everyMs: SECOND_MS, run: lookAfterVideos },
  { name: 'old videos', everyMs: MINUTE_MS, run: forgetVideos },
  { name: 'batches', everyMs: SECOND_MS, run: lookAfterBatches },
  { name: 'old batches', everyMs: MINUTE_MS, run: forgetBatches },
  { name: 'old files', everyMs: MINUTE_MS, run: forgetFiles },
  { name: 'idempotent requests', everyMs: MINUTE_MS, run: forgetIdempotentRequests },
];
