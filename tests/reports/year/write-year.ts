import pg from 'pg';
import { generateYear } from './generate';

/** A separate program, for runners that cannot load the product's code: writes a year into DATABASE_URL. */
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
try {
  await generateYear(client);
} finally {
  await client.end();
}
