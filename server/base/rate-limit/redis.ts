import { Redis } from 'ioredis';
import { SECOND_MS } from '../clock';
import { settings } from '../env';
import { describeError, log } from '../log';

/** Several instances share their counts in Redis. Requests continue if it fails. */

const TIMEOUT_MS = 200;
const RECONNECT_AT_MOST_EVERY_MS = 5 * SECOND_MS;

let connection: Redis | undefined;

/** Returns null when the installation counts in memory. */
export function redis(): Redis | null {
  const { REDIS_URL: url } = settings();
  if (url === undefined) return null;
  connection ??= connect(url);
  return connection;
}

function connect(url: string): Redis {
  const made = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: TIMEOUT_MS,
    connectTimeout: SECOND_MS,
    retryStrategy: (attempt) => Math.min(attempt * TIMEOUT_MS, RECONNECT_AT_MOST_EVERY_MS),
  });
  let isDown = false;
  made.on('ready', () => {
    if (isDown) log().info('Redis is available again: limits are shared between instances again');
    isDown = false;
  });
  made.on('error', (error: unknown) => {
    if (!isDown)
      log().warn({ error: describeError(error) }, 'Redis is unavailable: limits are counted in memory');
    isDown = true;
  });
  return made;
}

export async function closeRedis(): Promise<void> {
  const closing = connection;
  connection = undefined;
  closing?.disconnect();
}
