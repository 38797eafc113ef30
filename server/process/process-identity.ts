import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from './data-dir';

/** Pids are used again, in containers at every start. A pid with its time of birth is not. */

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** When the process was born, as the system writes it; undefined when there is no such process. */
export function birthOf(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  if (process.platform !== 'linux') return askPs(pid, 'lstart=');
  try {
    // The name in parentheses may hold anything; the start time is the 20th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return askPs(pid, 'command=') ?? '';
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function askPs(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
