import { settings } from '../../base/env';
import { ApiError } from '../../base/errors';
import type { WithHeaders } from '../../base/http/api-request';
import { holdBytes, type Reader } from '../../base/http/body-bytes';
import { GENERATION_BODY_BYTES } from '../../base/http/read-body';
import { describeError, log } from '../../base/log';
import { JSON_LIMITS } from '../../base/scan-json';
import type { Hold } from '../../ledger';
import { requireUserKey } from '../../people/access/authenticate';
import { readBranch } from '../../people/keys/run-keys';
import type { ClientRequest } from '../protocols/client-protocols';
import { countCharacters, countValues } from '../protocols/count-characters';
import type { Json } from '../protocols/neutral';
import { asArray, asObject, asText, refuse } from '../protocols/read-fields';
import type { ResponsesClientRequest } from '../protocols/responses/protocol';
import { itemsOf } from '../protocols/responses/schema';
import { isPosition, linkInput, type SentInput } from './kept-input';
import {
  type Entry,
  findChain,
  findItems,
  findResponse,
  isId,
  type KeptReader,
  keepResponse,
  type Link,
  type OutputPosition,
  type Owner,
  type ReadLimit,
  readInputs,
  readItemIds,
  readOutputs,
  renew,
} from './kept-store';

/**
 * Responses of the responses format are kept for a short time, encrypted, so that later requests of the same
 * user and app can continue them (`previous_response_id`) or contain their items by id (`item_reference`).
 * Each output is kept once, and of each input what no earlier one contains.
 */

/** Keeps one response. */
export type Keeper = {
  /** Receives the response that the client gets. */
  note: (response: Json) => void;
  /** Does nothing if there was no response. A failure is logged: the client has its response. */
  keep: () => Promise<void>;
};

/** A request with its references resolved. */
export type Resolved<Client = ClientRequest> = {
  client: Client;
  /** What the references added, in bytes. */
  addedBytes: number;
  /** Null if the response is not kept. */
  keeperOf: (hold: Hold) => Keeper | null;
};

/** `admitCheaply` refuses a user who could not pay for the request, before anything is read. */
export type Asking = Reader & { admitCheaply: (owner: Owner) => Promise<void> };

export type KeptResponses = { resolve(asking: Asking, client: ClientRequest): Promise<Resolved> };

/** For formats without references. */
export const NOTHING_KEPT: KeptResponses = {
  resolve: async (_, client) => ({ client, addedBytes: 0, keeperOf: () => null }),
};

export const keptResponses = { resolve: resolveReferences };

/** A body could contain a million of them. */
const MAX_REFERENCES = 5_000;
/** Of one item. Clients refer once to each part of a message, which has one or two. */
const MAX_REPETITIONS = 4;

const isReference = ({ type }: Json): boolean => type === 'item_reference';

export async function resolveReferences(
  asking: Asking,
  { body }: ResponsesClientRequest,
): Promise<Resolved<ResponsesClientRequest>> {
  const items = itemsOf(body);
  const isKept = settings().KEEP_RESPONSES_MINUTES > 0;
  const own = isKept ? body : Object.assign({}, body, { store: false });
  const ids = countReferences(items);
  const previousId = body.previous_response_id ?? null;
  if (previousId === null && ids.size === 0)
    return {
      client: { format: 'responses', body: own },
      addedBytes: 0,
      keeperOf: keeperOf(own, { items, entries: items, previous: null }),
    };
  if (!isKept) throw previousId === null ? itemNotKept(items, new Map()) : responseNotKept();
  const owner = await requireKeptReader(asking.request);
  await asking.admitCheaply(owner);
  const reading = new Reading(asking, owner, countCharacters(items));
  const found = await findItems(owner, [...ids.keys()]);
  const chain = previousId === null ? [] : await findChain(owner, previousId);
  const [previous] = chain;
  if (previousId !== null && previous === undefined) throw responseNotKept();
  const entries = items.map((item) => positionOf(item, found) ?? item);
  const before = previous === undefined ? [] : await reading.readBefore(chain, previous);
  const input = await reading.fill([...before, ...entries]);
  if (input === null) throw before.length === 0 ? itemNotKept(items, found) : chainBroken();
  if (input.some(isReference)) throw itemNotKept(items, found);
  requireFewValues(input);
  await renew([...found.values(), ...chain]);
  return {
    client: { format: 'responses', body: Object.assign({}, own, { input }) },
    addedBytes: reading.addedBytes,
    keeperOf: keeperOf(own, {
      items,
      entries,
      previous: previous === undefined ? null : { ...previous, output: positionsOf(previous) },
    }),
  };
}

/** The key of a request, with what it may read. */
export async function requireKeptReader(request: WithHeaders): Promise<KeptReader> {
  const caller = await requireUserKey(request);
  return { userId: caller.userId, partnerId: caller.partnerId, keyIds: await readBranch(caller) };
}

/** How often each item is referenced. */
function countReferences(items: readonly Json[]): Map<string, number> {
  const ids = new Map<string, number>();
  let references = 0;
  for (const [index, item] of items.entries()) {
    if (!isReference(item)) continue;
    if (++references > MAX_REFERENCES)
      throw refuse('input', `must contain at most ${MAX_REFERENCES} references`);
    const id = asText(item.id);
    const times = (ids.get(id) ?? 0) + 1;
    if (times > MAX_REPETITIONS)
      throw refuse(`input.${index}.id`, `must not refer to one item more than ${MAX_REPETITIONS} times`);
    ids.set(id, times);
  }
  return ids;
}

const positionOf = (item: Json, found: Awaited<ReturnType<typeof findItems>>): OutputPosition | undefined => {
  const place = isReference(item) ? found.get(asText(item.id)) : undefined;
  return place && [place.no, place.at];
};

const positionsOf = ({ no, outputs }: Link): OutputPosition[] =>
  Array.from({ length: outputs }, (_, at) => [no, at]);

/** Reads what a request refers to, within the limits of a body. What is read counts as a part of the body. */
class Reading {
  readonly #reader: Reader;
  readonly #owner: Owner;
  #restBytes: number;
  addedBytes = 0;

  constructor(reader: Reader, owner: Owner, bodyBytes: number) {
    this.#reader = reader;
    this.#owner = owner;
    this.#restBytes = GENERATION_BODY_BYTES - bodyBytes;
  }

  /** What came before a request that continues these responses, the newest first. */
  async readBefore(chain: readonly Link[], newest: Link): Promise<Entry[]> {
    return [...(await this.readInput(chain)), ...positionsOf(newest)];
  }

  /** The input of the first of these responses. */
  async readInput(chain: readonly Link[]): Promise<Entry[]> {
    const isWhole = chain.at(-1)?.parentNo === null && chain.every(({ inputBytes }) => inputBytes !== null);
    if (!isWhole) throw chainBroken();
    const inputs = await readInputs(this.#owner, new Map(chain.map(({ no }) => [no, 1])), this.#limit());
    return chain.toReversed().flatMap(({ no }) => {
      const input = inputs.get(no);
      if (input === undefined) throw chainBroken();
      return input;
    });
  }

  /** The items, or null if one of the places is no longer kept. */
  async fill(entries: readonly Entry[]): Promise<Json[] | null> {
    const outputs = await readOutputs(this.#owner, countUses(entries), this.#limit());
    const items: Json[] = [];
    for (const entry of entries) {
      const item = isPosition(entry) ? outputs.get(entry[0])?.[entry[1]] : entry;
      if (item === undefined) return null;
      items.push(item);
    }
    return items;
  }

  #limit(): ReadLimit {
    return { limitBytes: this.#restBytes, count: (bytes) => this.#add(bytes) };
  }

  #add(bytes: number): void {
    if (bytes > this.#restBytes)
      throw new ApiError(
        'request_too_large',
        `The request with what it refers to exceeds the maximum size of ${GENERATION_BODY_BYTES / 1024 ** 2} MB.`,
      );
    holdBytes(this.#reader, bytes);
    this.#restBytes -= bytes;
    this.addedBytes += bytes;
  }
}

/** How often each response must be read: as often as any of its items is used. */
function countUses(entries: readonly Entry[]): Map<number, number> {
  const ofItems = new Map<string, number>();
  const uses = new Map<number, number>();
  for (const entry of entries) {
    if (!isPosition(entry)) continue;
    const times = (ofItems.get(String(entry)) ?? 0) + 1;
    ofItems.set(String(entry), times);
    uses.set(entry[0], Math.max(times, uses.get(entry[0]) ?? 0));
  }
  return uses;
}

function requireFewValues(input: readonly Json[]): void {
  if (countValues(input) > JSON_LIMITS.values)
    throw refuse(
      'input',
      `contains with its references more than ${JSON_LIMITS.values} values and field names`,
    );
}

function itemNotKept(items: readonly Json[], found: ReadonlyMap<string, unknown>): ApiError {
  const index = items.findIndex((item) => isReference(item) && !found.has(asText(item.id)));
  return notKept(`input.${Math.max(0, index)}.id`, 'item');
}

const responseNotKept = (): ApiError => notKept('previous_response_id', 'response');

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

const chainBroken = (): ApiError =>
  refuse(
    'previous_response_id',
    'a part of the conversation before this response was deleted, or was too large to be kept. Send the items themselves.',
  );

function keeperOf(body: ResponsesClientRequest['body'], sent: SentInput): Resolved['keeperOf'] {
  return ({ userId, partnerId, keyId }) =>
    body.store === false ? null : keepLater({ userId, partnerId }, keyId, sent);
}

function keepLater(owner: Owner, keyId: string, sent: SentInput): Keeper {
  let noted: Json | null = null;
  return {
    note(response) {
      noted = response;
    },
    async keep() {
      if (noted === null) return;
      try {
        await keep(owner, keyId, sent, noted);
      } catch (error) {
        log().warn({ error: describeError(error) }, 'response not kept');
      }
    },
  };
}

/** Writing more at once would hold up other requests. */
const MAX_OUTPUT_CHARACTERS = 1_000_000;

async function keep(owner: Owner, keyId: string, sent: SentInput, given: Json): Promise<void> {
  const id = asText(given.id);
  // These repeat the request. They may be longer than all the rest.
  const response = Object.assign({}, given, { id, instructions: null, tools: [], text: undefined });
  if (!isId(id) || countCharacters(response) > MAX_OUTPUT_CHARACTERS) return;
  const itemIds = asArray(response.output).map((item) => asText(asObject(item).id));
  await keepResponse(owner, { response, keyId, itemIds, ...(await linkInput(owner, sent)) });
}

/** The kept response with this id as JSON, without what it repeats of its request, or null. */
export async function readKeptResponse(
  reader: Reader,
  owner: KeptReader,
  id: string,
): Promise<string | null> {
  const response = await findResponse(owner, id);
  if (response !== null) holdBytes(reader, response.length);
  return response;
}

export type KeptInput = {
  /** Of all items; empty where the client gave none. */
  ids: string[];
  /** Reads the outputs among these items only. */
  open: (indexes: readonly number[]) => Promise<Json[]>;
};

/** The input of a kept response, or null if the response is not kept. */
export async function readKeptInput(
  reader: Reader,
  owner: KeptReader,
  id: string,
): Promise<KeptInput | null> {
  const chain = await findChain(owner, id);
  if (chain.length === 0) return null;
  const reading = new Reading(reader, owner, 0);
  const entries = await reading.readInput(chain);
  const idsOf = await readItemIds(owner, countUses(entries).keys());
  const ids = entries.map((entry) => {
    const itemId = isPosition(entry) ? idsOf.get(entry[0])?.[entry[1]] : asText(entry.id);
    if (itemId === undefined) throw chainBroken();
    return itemId;
  });
  const open = async (indexes: readonly number[]) => {
    const items = await reading.fill(
      indexes.map((index) => entries[index]).filter((entry) => entry !== undefined),
    );
    if (items === null) throw chainBroken();
    return items;
  };
  return { ids, open };
}

export type { Owner };
