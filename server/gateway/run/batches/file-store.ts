import { DAY_MS, now, nowDate } from '../../../base/clock';
import { deleteInSteps, inSlowTransaction, pool } from '../../../base/db';
import { ApiError } from '../../../base/errors';
import { newId } from '../../../base/ids';
import { inTurn } from '../../../base/in-turn';
import { openSealed, openSealedBytes, seal, sealBytes } from '../../../base/seal';
import type { KeptReader } from '../kept-store';
import { ofReader, readableRows } from '../reader-rows';

/** The files that users upload for batches, encrypted and in pieces, so that none is in memory twice. */

export const FILES_KEPT_MS = 7 * DAY_MS;
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Of one user, in all apps. */
export const MAX_FILES = 100;
export const MAX_BYTES_PER_USER = 16 * MAX_FILE_BYTES;

const PIECE_BYTES = 256 * 1024;

export type FileRow = { id: string; name: Buffer; bytes: number; created_at: Date; expires_at: Date };

const nameOf = (id: string): string => `batch_file:name:${id}`;
const pieceOf = (id: string, at: number): string => `batch_file_piece:${id}:${at}`;

export const openName = ({ id, name }: FileRow): string => openSealed(name, nameOf(id));

export type NewFile = { userId: string; partnerId: string; keyId: string; name: string; bytes: Buffer };

/** Each takes a connection for some tenths of a second, and files of one user wait for each other. */
const storeInTurn = inTurn(2, 100);

/** Stores a file, unless its user has too many. */
export const storeFile = (file: NewFile): Promise<FileRow> => storeInTurn(() => store(file));

function store({ userId, partnerId, keyId, name, bytes }: NewFile): Promise<FileRow> {
  const id = newId('file');
  return inSlowTransaction({ isolation: 'READ COMMITTED', timeout: '1min' }, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`batch_file:${userId}`]);
    const { rows: sums } = await client.query<{ files: number; bytes: string }>(
      'SELECT count(*)::int AS files, coalesce(sum(bytes), 0) AS bytes FROM batch_file WHERE user_id = $1 AND expires_at > $2',
      [userId, nowDate()],
    );
    const [sum] = sums;
    if (sum === undefined || sum.files >= MAX_FILES || Number(sum.bytes) + bytes.length > MAX_BYTES_PER_USER)
      throw tooMany();
    const { rows } = await client.query<FileRow>(
      `INSERT INTO batch_file (id, user_id, partner_id, key_id, name, bytes, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, name, bytes, created_at, expires_at`,
      [
        id,
        userId,
        partnerId,
        keyId,
        seal(name, nameOf(id)),
        bytes.length,
        nowDate(),
        new Date(now() + FILES_KEPT_MS),
      ],
    );
    for (let at = 0; at * PIECE_BYTES < bytes.length; at++) {
      const piece = bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES);
      await client.query('INSERT INTO batch_file_piece (file_id, at, content) VALUES ($1, $2, $3)', [
        id,
        at,
        sealBytes(piece, pieceOf(id, at)),
      ]);
    }
    return rows[0] as FileRow;
  });
}

const tooMany = (): ApiError =>
  new ApiError(
    'invalid_request',
    `file: a user can have ${MAX_FILES} files and ${MAX_BYTES_PER_USER / 1024 / 1024} MB of them. Delete those that are no longer needed.`,
    { param: 'file' },
  );

const OWN = readableRows('batch_file');

/** Others, such as one with a zero byte, cannot be looked up. */
const ID = /^file_\w{1,64}$/;

export async function findFile(reader: KeptReader, id: string): Promise<FileRow | null> {
  if (!ID.test(id)) return null;
  const { rows } = await pool().query<FileRow>(
    `SELECT id, name, bytes, created_at, expires_at FROM batch_file WHERE ${OWN} AND id = $5`,
    [...ofReader(reader), id],
  );
  return rows[0] ?? null;
}

/** A page of files, and one more if there are more. Ids are in the order of time. */
export async function listFiles(
  reader: KeptReader,
  { after, limit, order }: { after?: string | undefined; limit: number; order: 'asc' | 'desc' },
): Promise<FileRow[]> {
  const { rows } = await pool().query<FileRow>(
    `SELECT id, name, bytes, created_at, expires_at FROM batch_file
     WHERE ${OWN} AND ($5::text IS NULL OR id ${order === 'asc' ? '>' : '<'} $5 COLLATE "C")
     ORDER BY id COLLATE "C" ${order} LIMIT $6`,
    [...ofReader(reader), after ?? null, limit + 1],
  );
  return rows;
}

/** The content, piece by piece. Fails with `not_found` if the file is deleted while it is read. */
export async function* readPieces({ id, bytes }: FileRow): AsyncGenerator<Buffer> {
  for (let at = 0; at * PIECE_BYTES < bytes; at++) {
    const { rows } = await pool().query<{ content: Buffer }>(
      'SELECT content FROM batch_file_piece WHERE file_id = $1 AND at = $2',
      [id, at],
    );
    const [piece] = rows;
    if (piece === undefined) throw new ApiError('not_found', 'The file was deleted while it was read.');
    yield openSealedBytes(piece.content, pieceOf(id, at));
  }
}

export async function deleteFile(reader: KeptReader, id: string): Promise<boolean> {
  if (!ID.test(id)) return false;
  const { rowCount } = await pool().query(`DELETE FROM batch_file WHERE ${OWN} AND id = $5`, [
    ...ofReader(reader),
    id,
  ]);
  return rowCount === 1;
}

export async function forgetFiles(): Promise<void> {
  await deleteInSteps(
    'DELETE FROM batch_file WHERE id IN (SELECT id FROM batch_file WHERE expires_at <= $1 LIMIT $2)',
    nowDate(),
  );
}
