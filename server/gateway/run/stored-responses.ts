import { z } from 'zod';
import { ApiError } from '../../base/errors';
import { requireUserKeyHash } from '../../base/http/credentials';
import { validate } from '../../base/http/read-body';
import { privateJson } from '../../base/http/respond';
import { takeKeyTurn } from '../../base/rate-limit/key-turns';
import type { Json } from '../protocols/neutral';
import { refuse } from '../protocols/read-fields';
import { readKeptInput, readKeptResponse, requireKeptReader } from './kept-responses';
import { deleteResponse, type KeptReader } from './kept-store';
import { findLimitRefusal } from './key-limit';

/** The endpoints of a kept response. */

type Lookup = { owner: KeptReader; reader: { request: Request; keyHash: Buffer } };

const notFound = (): ApiError =>
  new ApiError(
    'not_found',
    'No response with this id is kept for this user in this app. Responses are kept for a short time only.',
  );

/** What the key of a request may read, within its rate limit. */
export async function askFor(request: Request): Promise<Lookup> {
  const keyHash = requireUserKeyHash(request);
  const waitMs = takeKeyTurn(keyHash);
  if (waitMs > 0) throw await findLimitRefusal(request, keyHash, waitMs);
  return { owner: await requireKeptReader(request), reader: { request, keyHash } };
}

export async function sendKeptResponse(request: Request, id: string): Promise<Response> {
  const { owner, reader } = await askFor(request);
  if (new URL(request.url).searchParams.get('stream') === 'true')
    throw refuse('stream', 'is not supported: a kept response is returned whole');
  const response = await readKeptResponse(reader, owner, id);
  if (response === null) throw notFound();
  // As text, so that long numbers keep their digits.
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(response, { headers });
}

export const deletedResponseSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
});

export async function deleteKeptResponse(request: Request, id: string): Promise<Response> {
  const { owner } = await askFor(request);
  if (!(await deleteResponse(owner, id))) throw notFound();
  return privateJson({ id, object: 'response', deleted: true } satisfies z.output<
    typeof deletedResponseSchema
  >);
}

export const inputItemListSchema = z.object({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })).meta({
    description: 'The items before the output, those of earlier responses included.',
  }),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 20;

export const inputItemsQuerySchema = z.object({
  limit: z.coerce
    .number(`must be a number from 1 to ${MAX_ITEMS}`)
    .int()
    .min(1)
    .max(MAX_ITEMS)
    .default(DEFAULT_ITEMS)
    .meta({ description: `Items per page, at most ${MAX_ITEMS}.` }),
  order: z
    .enum(['asc', 'desc'], 'must be asc or desc')
    .default('desc')
    .meta({ description: 'Oldest or newest first.' }),
  after: z.string().optional().meta({ description: 'The id of the item before the page.' }),
});

export async function listInputItems(request: Request, id: string): Promise<Response> {
  const { owner, reader } = await askFor(request);
  const page = validate(inputItemsQuerySchema, Object.fromEntries(new URL(request.url).searchParams));
  const input = await readKeptInput(reader, owner, id);
  if (input === null) throw notFound();
  const { named, hasMore } = cutPage(input.ids, page);
  const items = await input.open(named.map(({ index }) => index));
  return privateJson({
    object: 'list',
    data: items.map((item, at) => writeItem(item, named[at]?.id ?? '')),
    first_id: named[0]?.id ?? null,
    last_id: named.at(-1)?.id ?? null,
    has_more: hasMore,
  } satisfies z.output<typeof inputItemListSchema>);
}

/** Clients may send items without an id, or several with one id, behind which no page could begin. */
function nameItems(ids: readonly string[]): { index: number; id: string }[] {
  const taken = new Set(['']);
  let n = 0;
  return ids.map((given, index) => {
    let id = given;
    for (n = Math.max(n, index); taken.has(id); n++) id = `item_${n}`;
    taken.add(id);
    return { index, id };
  });
}

function cutPage(
  ids: string[],
  { limit, order, after }: z.output<typeof inputItemsQuerySchema>,
): { named: { index: number; id: string }[]; hasMore: boolean } {
  const named = nameItems(ids);
  if (order === 'desc') named.reverse();
  const before = after === undefined ? -1 : named.findIndex(({ id }) => id === after);
  if (after !== undefined && before === -1) throw refuse('after', 'must be the id of an item of this list');
  const end = before + 1 + limit;
  return { named: named.slice(before + 1, end), hasMore: end < named.length };
}

type Item = Json & { id: string; type: string };

/** Clients may leave out the id and the type of an item, and write its content as text. */
function writeItem(item: Json, id: string): Item {
  const type = typeof item.type === 'string' ? item.type : 'message';
  const isText = type === 'message' && typeof item.content === 'string';
  return Object.assign({ status: 'completed' }, item, { id, type }, isText && { content: [writeText(item)] });
}

const writeText = ({ role, content }: Json): Json =>
  role === 'assistant'
    ? { type: 'output_text', text: content, annotations: [] }
    : { type: 'input_text', text: content };
