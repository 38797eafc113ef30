import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { microcredits } from '@/server/base/credits';
import { newDatabase } from '../../harness';
import { readBlock } from '../../harness/blocks';
import { correct } from '../../ledger/correct';
import { closeBothDays, DAYS, download, moveTo, startStatementWorld, type Verdict } from './statement-world';

/** The Python program of docs/verify.md. `npm --prefix lab run python-verifier` installs what it needs and sets this to its Python. */
const { PYTHON_VERIFIER = '' } = process.env;

const program = readBlock('docs/verify.md', 'import base64');

test('the program in the guide has at most 60 lines', () => {
  const lines = program.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.length).toBeLessThanOrEqual(60);
});

describe.runIf(PYTHON_VERIFIER !== '')('the program in the guide', async () => {
  await newDatabase();
  const world = await startStatementWorld();

  test('confirms good days and finds tampered ones', async () => {
    const user = await world.newUser();
    const [requestId = ''] = user.requests[0];
    const batch = await correct({ requestId, credits: microcredits(10n) });
    await moveTo(DAYS[1], user.userId, `related_id = '${batch}'`);
    await closeBothDays();
    const days = await Promise.all(DAYS.map((day) => download(user.userId, day)));
    const verify = (files: object[]): Promise<Verdict> => {
      const script = path.join(world.folder, 'verify.py');
      writeFileSync(script, program);
      const names = files.map((file, at) => {
        const name = path.join(world.folder, `${at}.json`);
        writeFileSync(name, JSON.stringify(file));
        return name;
      });
      return new Promise((resolve) =>
        execFile(PYTHON_VERIFIER, [script, world.url, ...names], (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
        ),
      );
    };
    const good = await verify(days);
    expect([good.code, good.text]).toEqual([
      0,
      expect.stringMatching(/ok {2}2024-03-05.*\nok {2}2024-03-06/),
    ]);

    const [first] = days;
    const [echo = ''] = user.requests[0];
    const tamper = async (change: (text: string) => string): Promise<Verdict> =>
      verify([JSON.parse(change(JSON.stringify(first)))]);
    const changes: [(text: string) => string, RegExp][] = [
      [(text) => text.replace(/"charged":\d+/, '"charged":1'), /FAILED {2}req_\w+ was changed/],
      [(text) => text.replace(echo, 'req_other'), /FAILED {2}req_other was changed or added/],
      [(text) => text.replace(/"output":"\d+"/, '"output":"7"'), /FAILED {2}sandbox\/\S+ was changed/],
      [
        (text) => {
          const file = JSON.parse(text);
          file.apps[0].entries.pop();
          return JSON.stringify(file);
        },
        /FAILED {2}2024-03-05: entries are missing/,
      ],
      [
        (text) => text.replace(/"leaves":\["[\w-]+"/, '"leaves":["AAAA"'),
        /FAILED {2}2024-03-05: other hashes/,
      ],
      [(text) => text.replace(/("statement":"[\w-]+\.[\w-]+\.)..../, '$1AAAA'), /InvalidSignature/],
    ];
    for (const [change, expected] of changes) {
      const { code, text } = await tamper(change);
      expect([code, text]).toEqual([1, expect.stringMatching(expected)]);
    }
  }, 120_000);
});
