// @ts-check
import { parseArgs } from 'node:util';
import { SERVERS } from './workloads.mjs';

export const HELP = `npm run bench -- [--quick] [--seconds N] [--rounds N] [--users N] [--only raw,portkey,svc] [--assert]

  --quick    30 seconds of load in one round instead of 180 in five
  --seconds  seconds of load in all
  --rounds   times that each server gets each load
  --users    users that share the load (64; 16 with --quick)
  --only     servers to drive
  --assert   exit 1 when a goal is missed`;

/** @typedef {ReturnType<typeof readOptions>} Options */

export function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      users: { type: 'string' },
      only: { type: 'string', default: SERVERS.join(',') },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  /** @param {'seconds' | 'rounds' | 'users'} name @param {number} usual */
  const number = (name, usual) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: expected a whole number above 0`);
    return value;
  };
  const only = values.only.split(',');
  const unknown = only.find((name) => !SERVERS.includes(name));
  if (unknown !== undefined) throw new Error(`--only: expected some of ${SERVERS.join(',')}, not ${unknown}`);
  return {
    seconds: number('seconds', values.quick ? 30 : 180),
    rounds: number('rounds', values.quick ? 1 : 5),
    users: number('users', values.quick ? 16 : 64),
    servers: SERVERS.filter((name) => only.includes(name)),
    assert: values.assert,
    help: values.help,
  };
}
