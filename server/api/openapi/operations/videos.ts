import { videosQuerySchema } from '../../../gateway/run/videos/read-videos';
import type { Operation } from '../operation';
import { ERRORS_OF_KEPT, GENERATION } from './generate';

const VIDEO = {
  id: 'video_VcJbIuLYpqmchw6FdkYbz7',
  object: 'video',
  model: 'sandbox/film',
  status: 'completed',
  progress: 100,
  created_at: 1_795_909_991,
  completed_at: 1_795_910_051,
  expires_at: 1_795_996_451,
  prompt: null,
  remixed_from_video_id: null,
  seconds: '4',
  size: '1280x720',
  error: null,
  usage: { cost: 0.35 },
};

const ID = { id: { description: 'The id of the video.', example: VIDEO.id } };

export const VIDEOS: Operation[] = [
  {
    ...GENERATION,
    id: 'createVideo',
    path: '/v1/videos',
    summary: 'Create a video',
    description:
      'Starts a job that makes a video, in the format of OpenAI. The length and the resolution decide what it costs: that is held, and charged when the video is complete. A video that fails is not charged. Forms are accepted too, with `input_reference` as a file.',
    body: {
      schema: 'VideosRequest',
      examples: {
        short: {
          summary: 'A short film',
          value: { model: 'sandbox/film', prompt: 'A lighthouse at dusk', seconds: '4', size: '1280x720' },
        },
      },
    },
    response: {
      description: 'The job.',
      schema: 'Video',
      headers: ['x-svc-warnings'],
      example: {
        ...VIDEO,
        status: 'queued',
        progress: 0,
        completed_at: null,
        expires_at: null,
        usage: null,
      },
    },
  },
  {
    id: 'listVideos',
    method: 'get',
    path: '/v1/videos',
    group: 'generate',
    summary: 'List videos',
    description:
      'Returns the videos of the user in this app; a run key gets those of its branch. Free of charge.',
    auth: 'user-key',
    query: { schema: videosQuerySchema, examples: { limit: 20, order: 'desc', after: VIDEO.id } },
    response: {
      description: 'The videos.',
      schema: 'VideoList',
      example: { object: 'list', data: [VIDEO], first_id: VIDEO.id, last_id: VIDEO.id, has_more: false },
    },
    errorFormat: 'chat',
    errors: ['invalid_request', ...ERRORS_OF_KEPT.filter((code) => code !== 'not_found')],
  },
  {
    id: 'readVideo',
    method: 'get',
    path: '/v1/videos/{id}',
    group: 'generate',
    summary: 'Read a video',
    description: 'Returns the state of a video. Free of charge.',
    auth: 'user-key',
    pathParameters: ID,
    response: { description: 'The video.', schema: 'Video', example: VIDEO },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
  {
    id: 'deleteVideo',
    method: 'delete',
    path: '/v1/videos/{id}',
    group: 'generate',
    summary: 'Delete a video',
    description:
      'Deletes a video. One that is still being made cannot be cancelled: it is charged when it is complete.',
    auth: 'user-key',
    pathParameters: ID,
    response: {
      description: 'The video is deleted.',
      schema: 'DeletedVideo',
      example: { id: VIDEO.id, object: 'video.deleted', deleted: true },
    },
    errorFormat: 'chat',
    errors: ERRORS_OF_KEPT,
  },
  {
    id: 'readVideoContent',
    method: 'get',
    path: '/v1/videos/{id}/content',
    group: 'generate',
    summary: 'Download a video',
    description:
      'Returns the file, read from its provider, which keeps it for a short time only. Until the video is complete, and after the provider has deleted it, the response is `404`.',
    auth: 'user-key',
    pathParameters: ID,
    response: { description: 'The video.', contentType: 'video/mp4' },
    errorFormat: 'chat',
    errors: [...ERRORS_OF_KEPT, 'upstream_error'],
  },
];
