import type { ClientProtocol } from '../client-protocol';
import type { Measured } from '../measure-size';
import type { ShownMedia } from '../neutral';
import { countPdfPages } from '../pdf-size';
import { refuse } from '../read-fields';
import { addCostTo, WHOLE_RESULT } from '../whole-results';
import { type OcrRequest, pdfOf, requestedPages, validateOcr } from './schema';

export type OcrClientRequest = { format: 'ocr'; body: OcrRequest };

export const ocrProtocol: ClientProtocol<OcrClientRequest> = {
  ...WHOLE_RESULT,
  modelType: 'ocr',
  validate: (json) => ({ format: 'ocr', body: validateOcr(json) }),
  prompts: () => 1,
  messages: ({ body }) => [body.document],
  measure: ({ body }) => measurePages(body),
  units: ({ body }, _, media) => ({ input: countPages(body, media), output: 0 }),
  addCost: (_, response, cost) => addCostTo('usage_info', response, cost),
};

/** Only pages are counted: no text is priced. */
function measurePages(body: OcrRequest): Measured {
  const pdf = requestedPages(body) === null ? pdfOf(body) : null;
  return {
    documents: pdf === null ? [] : [pdf],
    unread: [],
    sizeOf: (_, { pages, documentTokens }) => ({
      largestInputTokens: 0,
      likelyInputTokens: 0,
      media: { images: [], pages, documentTokens, recordings: [] },
    }),
    media: 'contained',
    measureDocument: countPdfPages,
  };
}

/** The most pages that are billed. An image is one. */
function countPages(body: OcrRequest, { pages, documentTokens }: ShownMedia): number {
  const requested = requestedPages(body);
  if (requested !== null) return requested.length;
  if (pdfOf(body) === null) return 1;
  if (Number.isFinite(documentTokens)) return pages;
  throw refuse('pages', 'is required: the pages of this document cannot be counted in advance');
}
