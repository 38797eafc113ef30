import { z } from 'zod';
import { UploadedFile } from '../../base/http/read-multipart';
import { requireImage, requireImageUrl } from './media';

/** An image that a request for images or videos begins with, in JSON. In a form it is a file. */
export const imageReference = z.looseObject({
  image_url: z.string({ error: 'is required: a data URL, or the URL of an image' }),
});

/** Long enough for the signature of a file. */
const SIGNATURE_BYTES = 30;

/** Refuses a file or data URL that is no image, and a URL that leads a provider into a private network. */
export function requireInputImage(
  image: z.output<typeof imageReference> | UploadedFile,
  param: string,
): void {
  if (!(image instanceof UploadedFile)) return requireImageUrl(image.image_url, `${param}.image_url`);
  requireImage(image.bytes.toString('base64', 0, SIGNATURE_BYTES), '', param);
}
