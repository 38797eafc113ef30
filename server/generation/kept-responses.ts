import { setImmediate as letOthersRun } from 'node:timers/promises';
import { MINUTE_MS, now } from '../clock';
import { pool, prisma } from '../db';
import { settings } from '../env';
import { ApiError } from '../errors';
import type { WithHeaders } from '../http/api-request';
import { requireUserKey } from '../http/authenticate';
import type { Hold } from '../ledger';
import { describeError, log } from '../log';
import type { ClientRequest } from '../protocols/client-protocols';
import { countCharacters } from '../protocols/count-characters';
import { parseExactly, writeExactly } from '../protocols/exact-numbers';
import type { Json } from '../protocols/neutral';
import { asArray, asObject, asText, refuse } from '../protocols/read-fields';
import type { ResponsesClientRequest } from '../protocols/responses/protocol';
import { itemsOf } from '../protocols/responses/schema';
import { openSealed, seal } from '../seal';

/**
 * Responses of the responses format are kept for a short time, encrypted, so that later requests of the same
 * user and app can continue them (`previous_response_id`) or contain their items by id (`item_reference`).
 */

export type Owner = { userId: string; partnerId: string };

/** Keeps one response. */
export type Keeper = {
  /** Receives the response that the client gets. */
  note: (response: Json) => void;
  /** Does nothing if there was no response. A failure is logged: the client has its response. */
  keep: () => Promise<void>;
};

export type KeptResponses = {
  /** The request with its references resolved. */
  resolve(request: WithHeaders, client: ClientRequest): Promise<ClientRequest>;
  /** Null if the response is not kept. */
  keeperOf(client: ClientRequest, owner: Hold): Keeper | null;
};

/** Writing more at once would hold up other requests. */
const MAX_CHARACTERS = 1_000_000;
/** All responses of a user in one app. */
const MAX_BYTES_PER_OWNER = 64 * 1024 * 1024;

export const keptResponses: KeptResponses = {
  resolve: (request, client) =>
    client.format === 'responses' ? resolve(request, client) : Promise.resolve(client),
  keeperOf(client, { userId, partnerId }) {
    if (client.format !== 'responses' || client.body.store === false) return null;
    return keepLater({ userId, partnerId }, itemsOf(client.body));
  },
};

async function resolve(
  request: WithHeaders,
  { format, body }: ResponsesClientRequest,
): Promise<ResponsesClientRequest> {
  const items = itemsOf(body);
  const named = items.flatMap((item) => (isReference(item) ? [asText(item.id)] : []));
  if (named.length > MAX_REFERENCES)
    throw refuse('input', `must contain at most ${MAX_REFERENCES} references`);
  const isKept = settings().KEEP_RESPONSES_MINUTES > 0;
  const own = isKept ? body : Object.assign({}, body, { store: false });
  const previousId = body.previous_response_id ?? null;
  if (previousId === null && named.length === 0) return { format, body: own };
  const found = isKept ? await findKept(await requireUserKey(request), previousId, named) : [];
  const before = previousId === null ? [] : readBefore(found, previousId);
  const kept = new Map(
    found.flatMap(({ itemIds, output }) => itemIds.map((id, at) => [id, output[at]] as const)),
  );
  const input = items.map((item, index) => {
    if (!isReference(item)) return item;
    const referenced = kept.get(asText(item.id));
    if (referenced === undefined) throw notKept(`input.${index}.id`, 'item');
    return referenced;
  });
  return { format, body: Object.assign({}, own, { input: [...before, ...input] }) };
}

/** A body could contain a million of them. */
const MAX_REFERENCES = 5_000;
const ID = /^[\w.:-]{1,255}$/;

const isReference = ({ type }: Json): boolean => type === 'item_reference';

function readBefore(found: readonly Found[], id: string): Json[] {
  const previous = found.find((response) => response.id === id);
  if (previous === undefined) throw notKept('previous_response_id', 'response');
  return [...previous.readInput(), ...previous.output];
}

function notKept(param: string, what: 'item' | 'response'): ApiError {
  const minutes = settings().KEEP_RESPONSES_MINUTES;
  const why =
    minutes === 0
      ? 'responses are not kept here'
      : `responses are kept for ${minutes} minutes after their last use, unless store is false`;
  return new ApiError(
    'invalid_request',
    `${param}: no ${what} with this id is kept for this user in this app: ${why}. Send the items themselves.`,
    { param },
  );
}

type Found = { id: string; itemIds: string[]; output: Json[]; readInput: () => Json[] };
type Row = { id: string; item_ids: string[]; input: Buffer; response: Buffer };

/** Finds responses by their own ids or by those of their items. Each use extends the time for which they are kept. */
async function findKept(
  { userId, partnerId }: Owner,
  id: string | null,
  itemIds: readonly string[],
): Promise<Found[]> {
  if (id !== null && !ID.test(id)) return [];
  const { rows } = await pool().query<Row>({
    name: 'use_kept_responses',
    text: `UPDATE kept_response SET expires_at = greatest(expires_at, $6)
           WHERE user_id = $1 AND partner_id = $2 AND expires_at > $5 AND (id = $3 OR item_ids && $4::text[])
           RETURNING id, item_ids, input, response`,
    values: [userId, partnerId, id, itemIds.filter((itemId) => ID.test(itemId)), new Date(now()), expiry()],
  });
  const found: Found[] = [];
  for (const { id, item_ids: itemIds, input, response } of rows) {
    const output = asArray(open(response, id, 'response').output).map(asObject);
    found.push({
      id,
      itemIds,
      output,
      readInput: () => asArray(open(input, id, 'input').items).map(asObject),
    });
    await letOthersRun();
  }
  return found;
}

const expiry = (): Date => new Date(now() + settings().KEEP_RESPONSES_MINUTES * MINUTE_MS);

const open = (sealed: Buffer, id: string, column: 'input' | 'response'): Json =>
  asObject(parseExactly(openSealed(sealed, boundTo(id, column))));

const boundTo = (id: string, column: 'input' | 'response'): string => `kept_response:${column}:${id}`;

function keepLater(owner: Owner, items: readonly Json[]): Keeper {
  let noted: Json | null = null;
  return {
    note(response) {
      noted = response;
    },
    async keep() {
      if (noted === null) return;
      try {
        await write(owner, items, noted);
      } catch (error) {
        log().warn({ error: describeError(error) }, 'response not kept');
      }
    },
  };
}

/** Not for an account that was deleted while the request ran, and not beyond the limits. */
async function write({ userId, partnerId }: Owner, items: readonly Json[], response: Json): Promise<void> {
  const id = asText(response.id);
  if (!ID.test(id) || countCharacters(items) + countCharacters(response) > MAX_CHARACTERS) return;
  const itemIds = asArray(response.output).map((item) => asText(asObject(item).id));
  const sealedInput = seal(writeExactly({ items }), boundTo(id, 'input'));
  const sealedResponse = seal(writeExactly(response), boundTo(id, 'response'));
  await pool().query({
    name: 'keep_response',
    text: `INSERT INTO kept_response (user_id, partner_id, id, item_ids, input, response, expires_at)
           SELECT $1::text, $2::text, $3::text, $4::text[], $5::bytea, $6::bytea, $7::timestamptz
           WHERE EXISTS (SELECT FROM "user" WHERE id = $1 AND deleted_at IS NULL)
             AND $8 >= octet_length($5::bytea) + octet_length($6::bytea) + coalesce((
               SELECT sum(octet_length(k.input) + octet_length(k.response)) FROM kept_response k
               WHERE k.user_id = $1 AND k.partner_id = $2 AND k.expires_at > $9), 0)
           ON CONFLICT DO NOTHING`,
    values: [
      userId,
      partnerId,
      id,
      itemIds,
      sealedInput,
      sealedResponse,
      expiry(),
      MAX_BYTES_PER_OWNER,
      new Date(now()),
    ],
  });
}

/** The kept response with this id, as its client got it, or null. */
export async function findKeptResponse(owner: Owner, id: string): Promise<Json | null> {
  if (!ID.test(id)) return null;
  const row = await prisma().keptResponse.findUnique({
    where: { userId_partnerId_id: { ...owner, id }, expiresAt: { gt: new Date(now()) } },
    select: { response: true },
  });
  return row === null ? null : JSON.parse(openSealed(row.response, boundTo(id, 'response')));
}

/** Deletes responses that are past their retention. */
export async function forgetKeptResponses(): Promise<void> {
  await prisma().keptResponse.deleteMany({ where: { expiresAt: { lte: new Date(now()) } } });
}
