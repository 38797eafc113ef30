// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../bench/servers.mjs';

/**
 * The settings of deploy/postgres, with the addresses of the lab.
 *
 * @typedef {import('./cluster.mjs').Machine} Machine
 */

export const PASSWORD = 'rehearsal';
export const PATRONI = process.env.PATRONI ?? 'patroni';

/**
 * Through version 3 of etcd's API, Patroni 3.0 takes the lock back without asking who has it: a primary that was
 * suspended becomes the primary again, and what the other one has committed since is lost.
 */
export const IS_OLD = / [123]\.\d/.test(String(spawnSync(PATRONI, ['--version']).stdout));

/** @param {Machine} machine @param {string} programs the folder of PostgreSQL's */
export function patroniSettings({ name, folder, rest, postgres, network }, programs) {
  const user = (/** @type {string} */ username) => ({ username, password: PASSWORD });
  return {
    scope: 'svc',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    // Without use_proxies, Patroni would ask etcd for the addresses of its members, which the lab could not cut.
    [IS_OLD ? 'etcd' : 'etcd3']: { hosts: network.map(({ port }) => `127.0.0.1:${port}`), use_proxies: true },
    bootstrap: {
      dcs: {
        // The shortest. How long a machine that died remains the primary.
        ttl: IS_OLD ? 7 : 20,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        // Without a standby, the primary accepts no writes, so that nothing is committed that only one machine has.
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${postgres}`,
      connect_address: `127.0.0.1:${postgres}`,
      data_dir: `${folder}/postgres`,
      bin_dir: programs,
      pgpass: `${folder}/pgpass`,
      authentication: {
        superuser: user('postgres'),
        replication: user('replicator'),
        rewind: user('rewinder'),
      },
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      parameters: { shared_buffers: '32MB', max_wal_size: '256MB', unix_socket_directories: '' },
    },
  };
}

/** @param {number} port @param {Machine[]} machines */
export function haproxySettings(port, machines) {
  const recommended = readFileSync(path.join(ROOT, 'deploy/postgres/haproxy.cfg'), 'utf8');
  return recommended
    .replace('bind 127.0.0.1:5000', `bind 127.0.0.1:${port}`)
    .replace(/server (db\d) .*/g, (line, name) => {
      const machine = machines.find((each) => each.name === name);
      return machine ? `server ${name} 127.0.0.1:${machine.postgres} check port ${machine.rest}` : line;
    });
}
