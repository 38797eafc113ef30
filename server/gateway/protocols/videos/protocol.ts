import type { ClientProtocol } from '../client-protocol';
import { measureInput } from '../measure-size';
import type { UnitModel, Units } from '../neutral';
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

/** Of Google's models at 720p, sound included. Source: Google's pricing, and the usage that its API reports. */
const TOKENS_PER_SECOND = 5_792;

/** What a video counts as, at these prices. */
export const videoUnits = (
  { seconds, images }: { seconds: number; images: number },
  { inputUnit, outputUnit }: UnitModel['prices'],
): Units => ({
  input: inputUnit === undefined ? 0 : images,
  output: outputUnit?.kind === 'video_token' ? seconds * TOKENS_PER_SECOND : seconds,
});

/** The image as one of unknown size. */
const readContent = (body: VideosRequest): readonly object[] => [
  { type: 'text', text: body.prompt },
  ...(countImages(body) > 0 ? [{ type: 'image_url', image_url: { url: '' } }] : []),
];

/** The response to a request is its job, so the price of it is never in it. */
export const videosProtocol: ClientProtocol<VideosClientRequest> = {
  modelType: 'video',
  form: { shape: VIDEOS_FORM, isRequired: false },
  validate: (json) => ({ format: 'videos', body: validateVideos(json) }),
  hasFixedOutput: true,
  requestedOutputTokens: () => null,
  wantsStream: () => false,
  choices: () => 1,
  prompts: () => 1,
  searches: () => 0,
  messages: ({ body }) => [body.prompt],
  measure: ({ body }) => measureInput([{ content: readContent(body) }], { tools: [], output: [] }),
  units: ({ body }, { prices }) =>
    videoUnits({ seconds: secondsOf(body), images: countImages(body) }, prices),
  resolution: ({ body }) => SIZES[sizeOf(body)][0],
  addCost: (_, response) => response,
};
