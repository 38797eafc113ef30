import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** Runs commands as a person types them, in a folder of their own and without a registry of npm. */

export type Running = {
  printed: () => string;
  /** The exit code. */
  ended: Promise<number | null>;
  stop: () => Promise<unknown>;
};

export function newShell() {
  const folder = mkdtempSync(path.join(tmpdir(), 'shell-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const offline = {
    HOME: folder,
    XDG_STATE_HOME: folder,
    npm_config_cache: path.join(folder, 'cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  };

  function start(command: string, { cwd = folder, env = {} } = {}): Running {
    const { PATH } = process.env;
    const child = spawn('sh', ['-c', command], {
      cwd,
      env: { NODE_ENV: 'development', PATH, ...offline, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        text += part;
      });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const stop = () => {
      // With npx and the program that it started.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      return ended;
    };
    return { printed: () => text, ended, stop };
  }
  return { folder, start };
}
