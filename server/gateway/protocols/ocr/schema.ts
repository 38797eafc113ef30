import { z } from 'zod';
import { isPdf, parseDataUrl, requireImageUrl, requirePublicUrl } from '../media';
import type { Json } from '../neutral';
import { expecting, flag, positiveInteger, refuse, text, validateRequest, wholeNumber } from '../read-fields';

/** The most that Mistral reads. */
const MAX_PAGES = 1_000;

const documentSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('document_url'), document_url: text }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: z.union([text, z.looseObject({ url: text })]),
    }),
  ],
  { error: 'must be an object of the type document_url or image_url' },
);

/** An OCR request, in Mistral's format. */
export const ocrRequestSchema = z.looseObject({
  model: z
    .string({ error: expecting('a model id such as mistral/mistral-ocr-2512') })
    .min(1)
    .meta({ description: 'A model with `type: "ocr"`; `GET /v1/models` lists them.' }),
  document: documentSchema.meta({
    description: 'A document or an image, as a data URL or at a public https address.',
  }),
  pages: z
    .union([z.array(wholeNumber), z.string()])
    .nullish()
    .meta({
      description:
        'The pages to read, from 0, as a list or as text such as `0-2,5`. Required unless the document is an image, or a PDF as a data URL: the pages of others cannot be counted before the request is sent.',
    }),
  include_image_base64: flag.nullish().meta({ description: 'Includes the images in the response.' }),
  image_limit: positiveInteger.nullish().meta({ description: 'The most images to extract.' }),
  image_min_size: positiveInteger.nullish(),
  include_blocks: flag.nullish(),
  confidence_scores_granularity: text.nullish(),
  table_format: z.enum(['markdown', 'html'], { error: 'must be `markdown` or `html`' }).nullish(),
  extract_header: flag.nullish(),
  extract_footer: flag.nullish(),
});

export type OcrRequest = z.output<typeof ocrRequestSchema>;

/** Annotated pages have another price. */
const ANNOTATIONS = ['bbox_annotation_format', 'document_annotation_format', 'document_annotation_prompt'];

export function validateOcr(json: Json): OcrRequest {
  const annotation = ANNOTATIONS.find((name) => json[name] != null);
  if (annotation !== undefined)
    throw refuse(annotation, 'annotations have a price of their own, and are not available');
  const request = validateRequest(ocrRequestSchema, json);
  const { document, pages } = request;
  if (pages != null && readPages(pages) === null)
    throw refuse('pages', `must be a list of up to ${MAX_PAGES} page numbers from 0, or text such as 0-2,5`);
  if (document.type === 'image_url') {
    requireImageUrl(imageOf(document.image_url), 'document.image_url');
  } else if (!/^data:/i.test(document.document_url.slice(0, 5))) {
    requirePublicUrl(document.document_url, 'document.document_url');
    requirePages(request, 'at an address');
  } else if (pdfOf(request) === null) {
    requirePages(request, 'other than a PDF');
  }
  return request;
}

const imageOf = (image: string | { url: string }): string => (typeof image === 'string' ? image : image.url);

function requirePages({ pages }: OcrRequest, which: string): void {
  if (pages == null)
    throw refuse('pages', `is required: the pages of a document ${which} cannot be counted in advance`);
}

/** The base64 of a PDF that the request contains. */
export function pdfOf({ document }: OcrRequest): string | null {
  if (document.type !== 'document_url') return null;
  const data = parseDataUrl(document.document_url)?.data;
  return data !== undefined && isPdf(data) ? data : null;
}

const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** Null if it is no list of pages, or too long. */
function readPages(pages: readonly number[] | string): number[] | null {
  const ranges = typeof pages === 'string' ? pages.split(',', MAX_PAGES + 1) : pages.map(String);
  const found = new Set<number>();
  for (const range of ranges) {
    const [, first, last = first] = RANGE.exec(range.trim()) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || to < from || to - from >= MAX_PAGES) return null;
    for (let page = from; page <= to; page++) found.add(page);
    if (found.size > MAX_PAGES) return null;
  }
  return found.size === 0 ? null : [...found];
}

/** The pages that the provider is told to read. What an address leads to may be more than an image. */
export function requestedPages({ document, pages }: OcrRequest): number[] | null {
  if (pages != null) return readPages(pages);
  const isFetched = document.type === 'image_url' && /^https:/i.test(imageOf(document.image_url).slice(0, 6));
  return isFetched ? [0] : null;
}
