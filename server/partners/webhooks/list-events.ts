import { inTransaction, pool } from '../../base/db';
import { ApiError } from '../../base/errors';
import { openSealed } from '../../base/seal';
import type { EventType } from './events';
import { shownIn } from './record';

/**
 * The events of an app, in an order that readers can rely on: each event gets its position from the first reader that
 * sees it, so it comes after all events that any reader has seen. A time or a sequence taken by the writer would not
 * do, because a transaction can commit after a later one, and its event would be skipped.
 */

/** A namespace of PostgreSQL's advisory locks. */
const POSITIONS_LOCK = 3_704_305;
/** More than a page. */
const PLACED_AT_ONCE = 1_000;

export type ListedEvent = {
  id: string;
  type: EventType;
  created_at: string;
  /** As in the webhook, except for a user key that was erased: it is null. */
  data: Record<string, unknown>;
};

export type EventPage = { events: ListedEvent[]; hasMore: boolean };

/** Oldest first, beginning after the given event or with the oldest one. */
export async function listEvents(
  partnerId: string,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<EventPage> {
  await placeNewEvents(partnerId);
  const position = after === undefined ? '0' : await requirePosition(partnerId, after);
  const { rows } = await pool().query<StoredEvent>(
    `SELECT id, body, shown_body AS "shownBody" FROM event
     WHERE partner_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
    [partnerId, position, limit + 1],
  );
  return { events: rows.slice(0, limit).map(openEvent), hasMore: rows.length > limit };
}

/** Under a lock, so that positions become visible in their order. */
async function placeNewEvents(partnerId: string): Promise<void> {
  const { rowCount } = await pool().query(
    'SELECT FROM event WHERE partner_id = $1 AND position IS NULL LIMIT 1',
    [partnerId],
  );
  if (rowCount === 0) return;
  await inTransaction(async (tx) => {
    // A statement of its own: the next one sees what was committed before the lock was taken.
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${POSITIONS_LOCK}::int, hashtext(${partnerId}))`;
    await tx.$executeRaw`
      UPDATE event e SET position = placed.position
      FROM (
        SELECT id, row_number() OVER (ORDER BY created_at, id)
          + (SELECT coalesce(max(position), 0) FROM event WHERE partner_id = ${partnerId}) AS position
        FROM event WHERE partner_id = ${partnerId} AND position IS NULL
        ORDER BY created_at, id LIMIT ${PLACED_AT_ONCE}
      ) placed
      WHERE e.id = placed.id`;
  });
}

async function requirePosition(partnerId: string, eventId: string): Promise<string> {
  const { rows } = await pool().query<{ position: string | null }>(
    'SELECT position FROM event WHERE partner_id = $1 AND id = $2',
    [partnerId, eventId],
  );
  const [event] = rows;
  if (event === undefined)
    throw new ApiError(
      'invalid_request',
      'after: this event does not exist, or it is older than 30 days. Omit `after` to start with the oldest event.',
      { param: 'after' },
    );
  if (event.position !== null) return event.position;
  // Known from a webhook: many events wait for a position, or it was committed since.
  await placeNewEvents(partnerId);
  return requirePosition(partnerId, eventId);
}

type StoredEvent = { id: string; body: Uint8Array | null; shownBody: Uint8Array | null };

function openEvent({ id, body, shownBody }: StoredEvent): ListedEvent {
  if (body !== null) return JSON.parse(openSealed(body, id));
  if (shownBody === null) throw new Error('An event without a body');
  const { data, ...head } = JSON.parse(openSealed(shownBody, shownIn(id)));
  return { ...head, data: { ...data, user_key: null } };
}
