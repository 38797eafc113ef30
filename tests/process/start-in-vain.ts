import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Starts the built server and returns what it printed before it ended by itself. */
export async function startInVain(given: Record<string, string>): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [path.resolve('.build/main.mjs')], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      ...given,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part;
  });
  const [code] = await once(child, 'close');
  return { code, text };
}
