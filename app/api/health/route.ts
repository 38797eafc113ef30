import { pool } from '@/server/db';
import { ApiError } from '@/server/errors';
import { privateJson, respond } from '@/server/http/respond';

export const dynamic = 'force-dynamic';

/** Reports that the process is running and can reach its database. */
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
    throw new ApiError('overloaded', 'The database is not responding.', { cause, retryAfterSeconds: 5 });
  }
}
