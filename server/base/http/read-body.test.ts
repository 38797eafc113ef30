import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { readCutJson } from './read-body';

test('a body that arrives byte by byte is kept in few buffers @attack', async () => {
  const text = JSON.stringify({ text: 'é'.repeat(10_000) });
  const body = new ReadableStream({
    start(controller) {
      for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const request = new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit);
  const digest = createHash('sha256');
  const update = vi.spyOn(digest, 'update');
  const { cut, source } = await readCutJson(request, 1_000_000, { key: '', isLarge: false, digest });
  expect(cut.text).toBe(text);
  expect(source.bytes.toString()).toBe(text);
  expect(update.mock.calls.length).toBeLessThan(10);
});
