import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@/server/process/embedded-postgres';
import { withClient } from '../harness/database-connection';

/** Those of instances that were killed stay open while their statements wait for a lock. */
const CONNECTIONS = 200;

/** A real PostgreSQL that can be stopped, killed and stalled. It keeps its address. */
export class BreakableDatabase {
  /** The running server, or the one that is about to start. */
  private postgres: Promise<EmbeddedPostgres> | undefined;
  private isOver = false;

  constructor(private readonly dataDir: string) {}

  start(): Promise<EmbeddedPostgres> {
    if (this.isOver) throw new Error('The simulation is over');
    this.postgres = startEmbeddedPostgres({ dataDir: this.dataDir, connections: CONNECTIONS });
    return this.postgres;
  }

  async restart(): Promise<void> {
    await (await this.postgres)?.stop();
    await this.start();
  }

  /** Like a power cut: committed data must survive. */
  async kill(): Promise<void> {
    const pidFile = readFileSync(path.join(this.dataDir, 'postgres/postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(pidFile, 10), 'SIGKILL');
    await this.restart();
  }

  /** Credits cannot move for a while: statements wait, and the longest of them time out. */
  async stall(forMs: number): Promise<void> {
    if (this.postgres === undefined) throw new Error('The simulation has no database yet');
    const { url } = await this.postgres;
    await withClient(url, async (client) => {
      await client.query('BEGIN; LOCK TABLE wallet IN EXCLUSIVE MODE');
      await pause(forMs);
      await client.query('COMMIT');
    });
  }

  async close(): Promise<void> {
    this.isOver = true;
    await (await this.postgres)?.stop();
  }
}
