import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { now, SECOND_MS } from '@/server/base/clock';
import { signatureHeader } from '@/server/partners/webhooks/sign';
import { readBlock } from '../../harness/blocks';
import { freePort } from '../../harness/free-port';

/** The receivers in docs/webhooks.md, run unchanged. */

/** Set by `npm --prefix lab run receivers`, for those in Python and Go: compiling Go's libraries takes two cores for 20 seconds. */
const ALL_RECEIVERS = process.env.ALL_RECEIVERS !== undefined;

const folder = mkdtempSync(path.join(tmpdir(), 'receivers-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const BODY = JSON.stringify({ id: 'evt_1', type: 'test', data: { message: 'Grüße 👋 / "q" \u2028' } });

function writeSnippet(name: string, code: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, code);
  return file;
}

type Case = {
  what: string;
  ageSeconds: number;
  body?: string;
  header?: (good: string) => string;
  accepted: boolean;
};

const CASES: Case[] = [
  { what: 'a fresh delivery', ageSeconds: 0, accepted: true },
  { what: 'a delivery from 290 seconds ago', ageSeconds: 290, accepted: true },
  { what: 'a delivery from a clock 290 seconds ahead', ageSeconds: -290, accepted: true },
  { what: 'a replay after 310 seconds', ageSeconds: 310, accepted: false },
  { what: 'a delivery from 310 seconds ahead', ageSeconds: -310, accepted: false },
  { what: 'a changed body', ageSeconds: 0, body: BODY.replace('evt_1', 'evt_2'), accepted: false },
  {
    what: 'the same JSON, formatted differently',
    ageSeconds: 0,
    body: JSON.stringify(JSON.parse(BODY), null, 1),
    accepted: false,
  },
  {
    what: 'another secret',
    ageSeconds: 0,
    header: () => signatureHeader('whsec_other', BODY, nowSeconds()),
    accepted: false,
  },
  {
    what: 'upper case',
    ageSeconds: 0,
    header: (good) => good.toUpperCase().replace('T=', 't=').replace('V1=', 'v1='),
    accepted: false,
  },
  { what: 'half a signature', ageSeconds: 0, header: (good) => good.slice(0, -32), accepted: false },
  { what: 'no time', ageSeconds: 0, header: (good) => good.replace(/^t=\d+,/, ''), accepted: false },
  { what: 'another time', ageSeconds: 0, header: (good) => good.replace(/\d/, '9'), accepted: false },
  { what: 'an empty header', ageSeconds: 0, header: () => '', accepted: false },
  { what: 'nonsense', ageSeconds: 0, header: () => `t=NaN,v1=${'0'.repeat(64)}`, accepted: false },
];

const nowSeconds = () => Math.floor(now() / SECOND_MS);

function headerOf({ ageSeconds, header = (good) => good }: Case): string {
  return header(signatureHeader(SECRET, BODY, nowSeconds() - ageSeconds));
}

describe.each([
  ['receiver.mjs', readBlock('docs/webhooks.md', 'createServer(async'), process.execPath, true],
  ['receiver.py', readBlock('docs/webhooks.md', 'import hashlib'), 'python3', ALL_RECEIVERS],
] as const)('%s', (name, code, program, runs) => {
  it.runIf(runs)(
    'accepts only genuine deliveries (204, otherwise 400) and handles each event once',
    { timeout: 30_000 },
    async () => {
      const port = await freePort();
      const child = spawn(program, [writeSnippet(name, code)], {
        env: { ...process.env, PORT: String(port), SVC_WEBHOOK_SECRET: SECRET },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      children.push(child);
      let printed = '';
      child.stdout.on('data', (text: Buffer) => {
        printed += text;
      });
      const send = (header: string, body: string) =>
        fetch(`http://127.0.0.1:${port}/svc`, {
          method: 'POST',
          headers: { 'x-svc-signature': header },
          body,
        });
      await expect
        .poll(
          () =>
            send('', '').then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 12_000 },
        )
        .toBe(400);
      const statuses = [];
      for (const example of CASES)
        statuses.push([example.what, (await send(headerOf(example), example.body ?? BODY)).status]);
      expect(statuses).toEqual(CASES.map(({ what, accepted }) => [what, accepted ? 204 : 400]));
      await expect.poll(() => printed).toBe('test evt_1\n');
    },
  );
});

/** The first compilation takes long. */
const GO_TIMEOUT_MS = 120_000;

it.runIf(ALL_RECEIVERS)(
  'the Go function accepts genuine deliveries only',
  () => {
    writeSnippet('verify.go', readBlock('docs/webhooks.md', 'package main'));
    writeFileSync(
      path.join(folder, 'main.go'),
      `package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		header, body, _ := strings.Cut(lines.Text(), "\\t")
		raw, _ := base64.StdEncoding.DecodeString(body)
		fmt.Println(verify(header, raw, os.Args[1], time.Now()))
	}
}
`,
    );
    const go = { cwd: folder, env: { ...process.env, GO111MODULE: 'off' } };
    // Compiled first: the age of a signature counts from here on.
    execFileSync('go', ['build', '-o', 'verify', 'main.go', 'verify.go'], go);
    const lines = CASES.map(
      (example) => `${headerOf(example)}\t${Buffer.from(example.body ?? BODY).toString('base64')}\n`,
    );
    const printed = execFileSync(path.join(folder, 'verify'), [SECRET], {
      ...go,
      input: lines.join(''),
      encoding: 'utf8',
    });
    const verdicts = printed.trim().split('\n');
    expect(CASES.map(({ what }, at) => [what, verdicts[at]])).toEqual(
      CASES.map(({ what, accepted }) => [what, String(accepted)]),
    );
  },
  GO_TIMEOUT_MS,
);
