import type { Picocredits } from '../../../base/credits';
import type { Json, TokenUsage } from '../../protocols/neutral';
import type { VideosRequest } from '../../protocols/videos/schema';
import type { ProviderProfile } from '../profiles';

/** How a provider makes videos: a request starts a job, whose state is read until it has ended. */
export type VideoApi = {
  /** Where a job is started. */
  path: string;
  /** Throws `invalid_request` for what this provider cannot make. */
  write(request: VideosRequest, called: CalledModel): Json;
  /** The provider's id of the job; undefined if the response has none. */
  readId(response: Json): unknown;
  /** Where the state of a job is read. */
  statePath(upstreamId: string): string;
  /** Null if the response is not about this job. */
  readState(
    response: Json,
    upstreamId: string,
    profile: Pick<ProviderProfile, 'reportsCost'>,
  ): SeenVideo | null;
  /** Present where files are behind our key, and may be processed for a while after the video is complete. */
  files?: {
    statePath(url: string): string;
    readState(response: Json): FileState;
  };
};

/** `ready` unless the provider says otherwise. */
export type FileState = 'processing' | 'failed' | 'ready';

export type CalledModel = {
  profile: Pick<ProviderProfile, 'userField'>;
  /** As the user names it. */
  id: string;
  upstreamModel: string;
  userHash: string;
};

/** What the provider says that it made, and bills: each is null where it says nothing. */
export type VideoReport = { seconds: number | null; cost: Picocredits | null; usage: TokenUsage | null };

export const NO_REPORT: VideoReport = { seconds: null, cost: null, usage: null };

/** How far a video is. */
export type SeenVideo =
  | { state: 'pending'; progress: number }
  | ({ state: 'done'; url: string } & VideoReport)
  | ({ state: 'failed'; code: string; message: string } & VideoReport);

const MAX_URL = 4_096;

/** A file that exists, as far as its URL shows. */
export const isUrl = (url: string): boolean => url !== '' && url.length <= MAX_URL;

export const BLOCKED = {
  code: 'moderation_blocked',
  message: 'The provider withheld the video: its content is not allowed.',
};
export const NO_VIDEO = {
  code: 'upstream_error',
  message: 'The provider for this model returned no video.',
};
