import { expect } from 'vitest';
import { runCommand } from '@/server/operator/cli/run';

/** Runs one command of `svc` in this process, and returns its exit code and what it wrote. */
export async function svc(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' };
  const code = await runCommand(words, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

/** The same with `--json`; it must succeed without a warning. */
export async function svcJson(...words: string[]) {
  const { code, out, err } = await svc(...words, '--json');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^\S.*\n$/);
  return JSON.parse(out);
}
