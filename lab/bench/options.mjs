// @ts-check
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './servers.mjs';
import { QUICK_SERVERS, SERVERS, USUAL_SERVERS, WORKLOADS } from './workloads.mjs';

export const HELP = `npm run bench -- [options]

  --quick          one round of one second, 16 users, no steady load, only ${QUICK_SERVERS.join(' and ')}
  --rounds N       times that each server gets each load (5)
  --seconds N      seconds of each load (3)
  --steady N       seconds of steady load after the rounds (180); 0 for none
  --users N        users that share the load (64)
  --servers LIST   some of ${SERVERS.join(',')} (${USUAL_SERVERS.join(',')})
  --loads LIST     some of ${Object.keys(WORKLOADS).join(',')}
  --against REV    also builds and drives that commit (or checkout in a directory), as "old"
  --grown N        also drives the product with N receipts in its database (a million is the goal's)
  --data DIR       where the databases are, for another disk, or none: /dev/shm (.data/bench)
  --assert         exit 1 if a goal is missed

  Old and new side by side, in about two minutes:
  npm run bench -- --servers svc --loads c32,stream32 --rounds 5 --seconds 3 --steady 0 --against main`;

/** @typedef {ReturnType<typeof readOptions>} Options */

export function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      steady: { type: 'string' },
      users: { type: 'string' },
      servers: { type: 'string' },
      loads: { type: 'string', default: Object.keys(WORKLOADS).join(',') },
      against: { type: 'string' },
      grown: { type: 'string' },
      data: { type: 'string', default: path.join(ROOT, '.data/bench') },
      assert: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  /** @param {'rounds' | 'seconds' | 'steady' | 'users' | 'grown'} name @param {number} usual @param {number} least */
  const number = (name, usual, least = 1) => {
    const value = Number(values[name] ?? usual);
    if (!Number.isInteger(value) || value < least)
      throw new Error(`--${name}: expected a whole number, at least ${least}`);
    return value;
  };
  return {
    rounds: number('rounds', values.quick ? 1 : 5, 0),
    seconds: number('seconds', values.quick ? 1 : 3),
    steady: number('steady', values.quick ? 0 : 180, 0),
    users: number('users', values.quick ? 16 : 64),
    servers: choose(
      'servers',
      values.servers ?? (values.quick ? QUICK_SERVERS : USUAL_SERVERS).join(','),
      SERVERS,
    ),
    loads: choose('loads', values.loads, Object.keys(WORKLOADS)),
    against: values.against,
    grown: values.grown === undefined ? 0 : number('grown', 0),
    data: path.resolve(values.data),
    assert: values.assert,
    help: values.help,
  };
}

/** @param {string} name @param {string} list @param {string[]} known */
function choose(name, list, known) {
  const chosen = list.split(',');
  const unknown = chosen.find((each) => !known.includes(each));
  if (unknown !== undefined)
    throw new Error(`--${name}: expected some of ${known.join(',')}, not ${unknown}`);
  return known.filter((each) => chosen.includes(each));
}
