import { pool } from '@/server/db';
import { ApiError } from '@/server/errors';
import { privateJson, respond } from '@/server/http/respond';

export const dynamic = 'force-dynamic';

/** The process is up and reaches its database. */
export function GET(): Promise<Response> {
  return respond(
    'chat',
    async () => {
      await requireDatabase();
      return privateJson({ status: 'ok' });
    },
    'same-origin',
  );
}

async function requireDatabase(): Promise<void> {
  try {
    await pool().query('SELECT 1');
  } catch (cause) {
    throw new ApiError('overloaded', 'The database does not answer', { cause, retryAfterSeconds: 5 });
  }
}
