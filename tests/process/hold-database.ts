import { startEmbeddedPostgres } from '@/server/process/embedded-postgres';

/** A process that starts the database of a data directory and then stays idle. */
const [dataDir = ''] = process.argv.slice(2);
const { url } = await startEmbeddedPostgres({ dataDir, durable: false });
process.stdout.write(`${url}\n`);
setInterval(() => {}, 60_000);
