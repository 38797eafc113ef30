import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** One event of a stream, and the pause before it. */
export type Frame = { text: string; pauseMs: number };
/** A stream in parts, so a failure model can omit one. */
export type StreamScript = {
  opening: Frame[];
  content: Frame[];
  finish: Frame[];
  usage: Frame[];
  end: Frame[];
  error: Frame;
};
type Step = { kind: 'write'; frame: Frame } | { kind: 'hang' } | { kind: 'cut' };

/** What the client receives, in order: the whole script, or the part that a failure model sends. */
export function planSteps(model: string, script: StreamScript): Step[] {
  const half = script.content.slice(0, Math.ceil(script.content.length / 2));
  switch (model) {
    case 'stall':
      return [...writes(script.opening, half), { kind: 'hang' }];
    case 'cut':
      return [...writes(script.opening, half), { kind: 'cut' }];
    case 'error-in-stream':
      return writes([script.error]);
    case 'error-mid-stream':
      return writes(script.opening, half, [script.error]);
    case 'no-done':
      return writes(script.opening, script.content, script.finish, script.usage);
    case 'no-finish':
      return writes(script.opening, script.content, script.end);
    default:
      return writes(script.opening, script.content, script.finish, script.usage, script.end);
  }
}

function writes(...groups: Frame[][]): Step[] {
  return groups.flat().map((frame) => ({ kind: 'write', frame }));
}

/** Plays the steps until the end or until the client disconnects. */
export async function playSteps(
  response: ServerResponse,
  steps: readonly Step[],
  options: { signal: AbortSignal; split: boolean },
): Promise<void> {
  for (const step of steps) {
    if (options.signal.aborted) return;
    if (step.kind === 'hang') return waitForAbort(options.signal);
    if (step.kind === 'cut') return cutConnection(response);
    if (step.frame.pauseMs > 0)
      await pause(step.frame.pauseMs, undefined, { signal: options.signal }).catch(() => {});
    if (options.split) await writeInFragments(response, step.frame.text);
    else await write(response, step.frame.text, options.signal);
  }
  if (!options.signal.aborted) response.end();
}

export async function waitForAbort(signal: AbortSignal, limitMs = Number.POSITIVE_INFINITY): Promise<void> {
  if (signal.aborted) return;
  const left = once(signal, 'abort').catch(() => {});
  if (limitMs === Number.POSITIVE_INFINITY) await left;
  else await Promise.race([left, pause(limitMs, undefined, { signal }).catch(() => {})]);
}

async function write(response: ServerResponse, text: string, signal: AbortSignal): Promise<void> {
  if (response.write(text) || signal.aborted) return;
  await once(response, 'drain', { signal }).catch(() => {});
}

/** Closes the connection once the client has received what was written. */
async function cutConnection(response: ServerResponse): Promise<void> {
  await nextTurn();
  response.socket?.destroySoon();
}

/** Three bytes at a time, so characters, lines and CRLF pairs are split between reads. */
async function writeInFragments(response: ServerResponse, text: string): Promise<void> {
  const bytes = Buffer.from(text.replaceAll('\n', '\r\n'));
  for (let start = 0; start < bytes.length; start += 3) {
    response.write(bytes.subarray(start, start + 3));
    await nextTurn();
  }
}
