import { format } from 'node:util';
import { describeError, log } from '../base/log';

/**
 * Writes what packages report on the console to the log, as one line each. Next prints the stack of each
 * error, also of a form that anyone can send.
 */
export function logConsole(): void {
  console.error = (...given: unknown[]) => write('error', given);
  console.warn = (...given: unknown[]) => write('warn', given);
  console.log = console.info = (...given: unknown[]) => write('debug', given);
}

function write(level: 'error' | 'warn' | 'debug', given: unknown[]): void {
  const text = given.map((part) => (part instanceof Error ? describeError(part) : part));
  const [line = ''] = format(...text)
    .trim()
    .split('\n', 1);
  log()[isOfClient(line) ? 'warn' : level]({ error: describeError(line) }, 'reported by the pages');
}

/** A page that was opened before an update, or a form that no page of ours sent. */
const OF_CLIENTS = [
  'Failed to find Server Action',
  'Invalid Server Actions request',
  'from a forwarded Server Actions request',
  'Failed to parse body as FormData',
];

const isOfClient = (line: string): boolean => OF_CLIENTS.some((text) => line.includes(text));
