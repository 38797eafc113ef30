import { z } from 'zod';
import { readRules } from '../../base/data-rules';
import { settings } from '../../base/env';
import { ApiError, ERROR_STATUS, type ErrorCode } from '../../base/errors';
import type { CatalogModel } from '../../gateway/pricing/catalog';
import { rulesMetBy } from '../../gateway/pricing/met-rules';
import { servedModels } from '../../gateway/pricing/served';
import { describeUnitPrices } from '../../gateway/pricing/unit-words';
import { DOCS_PAGES, findDocsPage, pathOf, writePage } from '../docs/pages';
import { MAX_QUERY_CHARACTERS, searchDocs } from '../docs/search';
import { ERROR_GUIDE, exampleError } from '../openapi/error-guide';
import { openTool } from './tool';

/** Tools that need no credential: what the website shows to everyone. */

const MAX_PAGE_CHARACTERS = 20_000;
const MAX_MODELS = 50;
const offset = z.int().min(0).default(0);

const searchTool = openTool({
  name: 'search_docs',
  title: 'Search the documentation',
  description: 'Finds sections of the documentation. Read their page with read_docs.',
  input: z.object({
    query: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe('A few words.'),
    limit: z.int().min(1).max(20).default(8),
  }),
  run: async ({ query, limit }) =>
    (await searchDocs(query, limit)).map(({ path, ...found }) => ({
      ...found,
      url: `${settings().BASE_URL}${path}`,
    })),
});

const readTool = openTool({
  name: 'read_docs',
  title: 'Read a page of the documentation',
  description: `Returns a page as Markdown, ${MAX_PAGE_CHARACTERS} characters at a time. Begin with the page "skill": it takes you through an integration. Pages: ${DOCS_PAGES.map(({ name }) => name).join(', ')}.`,
  input: z.object({
    page: z.string().max(64).describe('The name of a page, as search_docs returns it.'),
    offset: offset.describe('Where to continue a long page.'),
  }),
  run: async ({ page: name, offset: from }) => {
    const page = findDocsPage(name);
    if (page === null) throw new ApiError('not_found', `There is no page ${JSON.stringify(name)}.`);
    const text = writePage(page);
    const end = from + MAX_PAGE_CHARACTERS;
    const head = `${settings().BASE_URL}${pathOf(page)}`;
    const rest = text.length > end ? `\n\n(Continue with offset ${end} of ${text.length}.)` : '';
    return `${head}\n\n${text.slice(from, end)}${rest}`;
  },
});

const modelsTool = openTool({
  name: 'list_models',
  title: 'List models and prices',
  description: `Lists the models with their list prices in USD per million tokens, and units for what else is counted, before the commission of an app; at most ${MAX_MODELS} at a time.`,
  input: z.object({
    search: z.string().max(100).default('').describe('A part of the id or name.'),
    offset,
  }),
  run: async ({ search, offset: from }) => {
    const wanted = search.toLowerCase();
    const found = servedModels().filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(wanted));
    return { total: found.length, models: found.slice(from, from + MAX_MODELS).map(writeModel) };
  },
});

const writeModel = ({ id, name, type, provider, contextWindow, listPrices, prices }: CatalogModel) => ({
  id,
  name,
  type,
  context_window: contextWindow,
  input: Number(listPrices.input),
  output: Number(listPrices.output),
  units: describeUnitPrices(prices),
  data_rules: readRules(rulesMetBy(provider)),
});

const errorTool = openTool({
  name: 'explain_error',
  title: 'Explain an error',
  description: 'Says when an error occurs and what to do about it.',
  input: z.object({
    error: z.string().max(64).describe('The code in `error.type`, or the status of the response.'),
  }),
  run: async ({ error }) => {
    const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
    const found = codes.filter((code) => code === error || String(ERROR_STATUS[code]) === error);
    if (found.length === 0) throw new ApiError('not_found', 'There is no error with this code or status.');
    return found.map((code) => {
      const { when, remedy } = ERROR_GUIDE[code];
      return { code, status: ERROR_STATUS[code], when, remedy, example: exampleError('chat', code) };
    });
  },
});

export const DOCS_TOOLS = [searchTool, readTool, modelsTool, errorTool];
