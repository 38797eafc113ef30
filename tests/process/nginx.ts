import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBlock } from '../harness/blocks';
import { freePort } from '../harness/free-port';
import { until } from '../harness/until';

/** Starts a real nginx with the settings of docs/operating.md. Its program is named by NGINX. */
export async function startNginx(
  program: string,
  servers: string[],
): Promise<{ url: string; close: () => Promise<void> }> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'nginx-'));
  writeFileSync(path.join(folder, 'nginx.conf'), writeConfiguration(port, servers));
  const nginx = spawn(program, ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], { stdio: 'ignore' });
  await until(
    () => canConnect(port),
    (isOpen) => isOpen,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}

const writeConfiguration = (port: number, servers: string[]): string => `
daemon off;
error_log stderr;
pid nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${of};`).join(' ')}
  ${readBlock('docs/operating.md', 'upstream svc {')
    .replace(
      /server 127\.0\.0\.1:3000 (max_fails=0;).*/,
      servers.map((url) => `server ${new URL(url).host} $1`).join(' '),
    )
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)}
}
`;
