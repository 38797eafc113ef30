import type { ClientProtocol } from '../client-protocol';
import { type Measured, measureInput } from '../measure-size';
import { validateRequest } from '../read-fields';
import { addCostTo } from '../whole-results';
import { countInputImages, imageUnits } from './image-tokens';
import {
  EDITS_FORM,
  type ImageEditsRequest,
  type ImagesRequest,
  imagesRequestSchema,
  validateImageEdits,
} from './schema';

export type ImagesClientRequest = { format: 'images'; body: ImagesRequest };
export type ImageEditsClientRequest = { format: 'image-edits'; body: ImageEditsRequest };
type ImageRequest = ImagesClientRequest | ImageEditsClientRequest;

/** Images are no text: their tokens are units, and nothing is translated. */
const shared: Omit<ClientProtocol<ImageRequest>, 'validate'> = {
  modelType: 'image',
  hasFixedOutput: true,
  requestedOutputTokens: () => null,
  wantsStream: ({ body }) => body.stream === true,
  choices: () => 1,
  prompts: () => 1,
  searches: () => 0,
  messages: ({ body }) => [body.prompt],
  measure: ({ body }) => measurePrompt(body),
  units: ({ body }, model) => imageUnits(body, model),
  addCost: (_, response, cost) => addCostTo('usage', response, cost),
};

export const imagesProtocol: ClientProtocol<ImagesClientRequest> = {
  ...shared,
  validate: (json) => ({ format: 'images', body: validateRequest(imagesRequestSchema, json) }),
};

export const imageEditsProtocol: ClientProtocol<ImageEditsClientRequest> = {
  ...shared,
  form: { shape: EDITS_FORM, isRequired: false },
  validate: (json) => ({ format: 'image-edits', body: validateImageEdits(json) }),
};

/** Providers add a few tokens of text for each image. */
function measurePrompt(body: ImagesRequest | ImageEditsRequest): Measured {
  const notes = Array.from({ length: countInputImages(body) }, () => '');
  return measureInput([body.prompt, ...notes], { tools: [], output: [] });
}
