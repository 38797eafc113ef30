import { nowDate } from '../../base/clock';
import type { KeptReader } from './kept-store';

/** The condition for the rows that a reader sees of a table, or of its alias. Its parameters are `ofReader`. */
export const readableRows = (table: string): string =>
  `${table}.user_id = $1 AND ${table}.partner_id = $2 AND ($3::text[] IS NULL OR ${table}.key_id = ANY ($3))
    AND ${table}.expires_at > $4`;

/** The parameters 1 to 4. */
export const ofReader = ({ userId, partnerId, keyIds }: KeptReader): unknown[] => [
  userId,
  partnerId,
  keyIds,
  nowDate(),
];
