import type { ClientProtocol } from '../client-protocol';
import { measureInput } from '../measure-size';
import {
  DEFAULT_SECONDS,
  DEFAULT_SIZE,
  SIZES,
  VIDEOS_FORM,
  type VideoSize,
  type VideosRequest,
  validateVideos,
} from './schema';

export type VideosClientRequest = { format: 'videos'; body: VideosRequest };

export const sizeOf = ({ size }: VideosRequest): VideoSize => size ?? DEFAULT_SIZE;
export const secondsOf = ({ seconds }: VideosRequest): number => Number(seconds ?? DEFAULT_SECONDS);
export const countImages = (body: VideosRequest): number => (body.input_reference ? 1 : 0);

/** The response to a request is its job, so the price of it is never in it. */
export const videosProtocol: ClientProtocol<VideosClientRequest> = {
  modelType: 'video',
  form: { shape: VIDEOS_FORM, isRequired: false },
  validate: (json) => ({ format: 'videos', body: validateVideos(json) }),
  requestedOutputTokens: () => 0,
  wantsStream: () => false,
  choices: () => 1,
  prompts: () => 1,
  searches: () => 0,
  messages: ({ body }) => [body.prompt],
  measure: ({ body }) => measureInput([body.prompt], { tools: [], output: [] }),
  units: ({ body }) => ({ input: countImages(body), output: secondsOf(body) }),
  resolution: ({ body }) => SIZES[sizeOf(body)][0],
  addCost: (_, response) => response,
};
