import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/steps.mjs';
import { newDatabase } from '../../harness';
import { readBlock } from '../../harness/blocks';
import { newShell } from '../../harness/shell';
import { closeBothDays, DAYS, download, startStatementWorld } from './statement-world';

/** The commands of docs/verify.md, as they are except for address, key and id, in a folder with downloaded statements. */

await newDatabase();
const { url, newUser } = await startStatementWorld();
const user = await newUser();
const shell = newShell();
const TIMEOUT_MS = 60_000;
beforeAll(() => buildWidget(), 120_000);

test(
  'the first command verifies the statements of the folder, and prints what the guide shows',
  async () => {
    await closeBothDays();
    for (const day of DAYS) {
      const text = JSON.stringify(await download(user.userId, day));
      writeFileSync(path.join(shell.folder, `statement-${day}.json`), text);
    }
    const command = readBlock('docs/verify.md', 'statement-*.json').replaceAll('https://YOUR-SERVICE', url);
    const verifying = shell.start(command);
    expect([await verifying.ended, verifying.printed()]).toEqual([0, expect.any(String)]);
    const [name, ...lines] = readBlock('docs/verify.md', 'statement-2026').trim().split('\n').map(toPattern);
    expect(verifying.printed()).toMatch(new RegExp(`^${name}$(\n|.)*^${lines.join('$(\n|.)*^')}$`, 'm'));
  },
  TIMEOUT_MS,
);

/** Ids, dates and numbers differ. */
const toPattern = (line: string): string =>
  line
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/prt_\w+/, 'prt_\\w+')
    .replaceAll(/\b[\d\\.-]*\d\b/g, '[\\d.-]+')
    .replace(' app,', ' apps?,');

test(
  'the second command verifies a receipt of the API',
  async () => {
    const [[receipt = '']] = user.requests;
    const command = readBlock('docs/verify.md', 'svc-verify https')
      .replaceAll('https://YOUR-SERVICE', url)
      .replace('svc_sk_…', user.userKey)
      .replace('req_…', receipt);
    const verifying = shell.start(command);
    expect([await verifying.ended, verifying.printed()]).toEqual([
      0,
      expect.stringMatching(/ {2}ok .*\nEverything matches\.\n$/),
    ]);
  },
  TIMEOUT_MS,
);
