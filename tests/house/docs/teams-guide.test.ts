import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasRight, RIGHTS, type Right, ROLES } from '@/server/partners/rights';

/** The table in docs/teams.md. */

test('the table of rights in the guide is the one that the service applies', () => {
  const rows = readFileSync('docs/teams.md', 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, right = '']) => /^`\w+`$/.test(right))
    .map(([, right = '', ...cells]) => [right.slice(1, -1), ...cells.slice(0, ROLES.length)]);
  const applied = (Object.keys(RIGHTS) as Right[]).map((right) => [
    right,
    ...ROLES.map((role) => (hasRight(role, right) ? 'yes' : 'no')),
  ]);
  expect(rows).toEqual(applied);
});
