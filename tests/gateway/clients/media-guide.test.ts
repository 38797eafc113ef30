import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { toWav } from '@/sandbox/provider/tones';
import { SECOND_MS } from '@/server/base/clock';
import { lookAfterVideos } from '@/server/gateway/run/videos/look-after-videos';
import { startApi } from '../../harness/api-server';
import { readBlock } from '../../harness/blocks';
import { newDatabase } from '../../harness/database';
import { newPerson } from '../../harness/people';

/** The snippets of docs/media.md, run unchanged except for the address. */

await newDatabase();
const { url } = await startApi();
const { userKey } = await newPerson({ credits: 1_000 });
const run = promisify(execFile);

// The folder is inside the project, so that Node finds its packages.
mkdirSync('.build', { recursive: true });
const folder = mkdtempSync('.build/media-');
afterAll(() => rmSync(folder, { recursive: true }));

async function runSnippet(code: string): Promise<string> {
  const file = resolve(folder, 'snippet.mjs');
  writeFileSync(file, code.replaceAll('http://localhost:3000', url));
  const { stdout } = await run(process.execPath, [file], {
    cwd: folder,
    env: { NODE_ENV: 'test', PATH: process.env.PATH, SVC_USER_KEY: userKey },
  });
  return stdout;
}

test('what a snippet speaks, another one transcribes', async () => {
  await runSnippet(readBlock('docs/media.md', 'client.audio.speech.create'));
  const printed = await runSnippet(readBlock('docs/media.md', 'client.audio.transcriptions.create'));
  expect(printed).toContain('The sea was calm that morning.');
});

test('what a snippet speaks, the snippet for conversations hears, and answers aloud', async () => {
  await runSnippet(readBlock('docs/media.md', 'client.audio.speech.create'));
  const printed = await runSnippet(readBlock('docs/media.md', "model: 'sandbox/talk'"));
  const [, tokens = '', cost = ''] =
    /^The sea was calm that morning\. (\d+) (\S+)$/.exec(printed.trim()) ?? [];
  // 30 tones of 40 ms are 12 tokens heard and 24 said.
  expect(tokens).toBe('24');
  expect(Number(cost)).toBeGreaterThan(0.001_9);
});

test('the snippet for an image makes one, and prints what it cost', async () => {
  const printed = await runSnippet(readBlock('docs/media.md', 'client.images.generate'));
  const [length = '', cost = ''] = printed.trim().split(' ');
  expect(Number(length)).toBeGreaterThan(1_000);
  expect(Number(cost)).toBeGreaterThan(0);
});

test('the snippet for a video waits until it is complete, and prints its size and what it cost', async () => {
  const looking = setInterval(() => void lookAfterVideos(), SECOND_MS);
  const printed = await runSnippet(readBlock('docs/media.md', 'client.videos.create')).finally(() =>
    clearInterval(looking),
  );
  const [length = '', cost = ''] = printed.trim().split(' ');
  expect(Number(length)).toBeGreaterThan(1_000);
  expect(Number(cost)).toBeCloseTo(0.35);
}, 60_000);

test.each([
  ['what fits the limit of its output', 'a '.repeat(2_000), 100],
  ['at most what the model for speech says', 'a'.repeat(100_000), 16_384],
])('the model for conversations says %s @attack', async (_, content, most) => {
  const { choices, usage } = await chat({
    max_tokens: most,
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'wav' },
    messages: [{ role: 'user', content }],
  });
  expect(usage.completion_tokens).toBeLessThanOrEqual(most);
  expect(choices[0].finish_reason).toBe('length');
  expect(choices[0].message.audio.transcript.length).toBeLessThanOrEqual(4_096);
});

test('a recording of megabytes that nobody can transcribe is heard as one @attack', async () => {
  const data = toWav(Buffer.alloc(5_000_000)).toString('base64');
  const input = { type: 'input_audio', input_audio: { data, format: 'wav' } };
  const { choices } = await chat({ messages: [{ role: 'user', content: [input] }] });
  expect(choices[0].message.content).toBe('A recording of 5000044 bytes.');
});

async function chat(body: object) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${userKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/talk', ...body }),
  });
  return response.json();
}
