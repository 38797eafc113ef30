import { describe, expect, test } from 'vitest';
import { FORMATS } from './formats';
import { profileOf } from './profiles';

const write = (provider: string, client: Record<string, string>, isNative = true) => {
  const warnings: string[] = [];
  const { writeHeaders } = FORMATS[profileOf(provider).format];
  return { headers: writeHeaders(client, { isNative, warnings }), warnings };
};

describe('headers of a call', () => {
  test.each([
    'authorization',
    'x-api-key',
    'api-key',
    'x-user-key',
    'cookie',
    'host',
    'content-length',
    'content-encoding',
    'connection',
    'te',
    'trailer',
    'upgrade',
    'expect',
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-real-ip',
    'x-stainless-lang',
    'openai-organization',
    'openai-project',
    'origin',
    'referer',
    'x-svc-test',
    'user-agent',
    'openai-beta',
  ])('never contain the client’s %s', (name) => {
    expect(write('openai', { [name]: 'x' }).headers).toEqual({ 'content-type': 'application/json' });
    expect(write('anthropic', { [name]: 'x' }).headers).toEqual({
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    });
  });

  test.each([
    ['2026-10-21', true, '2026-10-21'],
    ['2023-06-01', true, '2023-06-01'],
    ['2026-10-21', false, '2023-06-01'],
    ['2099-01-01', true, '2023-06-01'],
    ['', true, '2023-06-01'],
  ])('version %s, same format %s: %s', (asked, sameFormat, version) => {
    expect(write('anthropic', { 'anthropic-version': asked }, sameFormat).headers['anthropic-version']).toBe(
      version,
    );
  });

  test('Claude Code’s betas are passed on', () => {
    const betas =
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,fine-grained-tool-streaming-2025-05-14';
    expect(write('anthropic', { 'anthropic-beta': betas })).toEqual({
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': betas,
      },
      warnings: [],
    });
  });

  test.each([
    'fast-mode-2026-02-01',
    'server-side-fallback-2026-06-01',
    'advisor-tool-2026-03-01',
    'compact-2026-01-12',
    'mcp-client-2025-11-20',
    'files-api-2025-04-14',
    'context-1m-2025-08-07',
  ])('%s changes the bill or the model: dropped with a warning', (beta) => {
    const { headers, warnings } = write('anthropic', { 'anthropic-beta': `${beta}, effort-2025-11-24` });
    expect(headers['anthropic-beta']).toBe('effort-2025-11-24');
    expect(warnings).toHaveLength(1);
  });

  test('no other provider receives betas', () => {
    expect(
      write('openai', { 'anthropic-beta': 'effort-2025-11-24', 'anthropic-version': '2023-06-01' }).headers,
    ).toEqual({ 'content-type': 'application/json' });
    expect(write('anthropic', { 'anthropic-beta': 'effort-2025-11-24' }, false).headers).not.toHaveProperty(
      'anthropic-beta',
    );
  });
});
