// @ts-check
import { createHash } from 'node:crypto';

/**
 * The number of the schema that holds a user's rows, from 0.
 *
 * @param {string} userId @param {number} schemas
 */
export const placeOf = (userId, schemas) =>
  createHash('sha256').update(userId).digest().readUInt32BE() % schemas;
