import { attempt, succeeds } from './key-store';

/** Longer than a background tab's timers are held back. */
const LEASE_MS = 90_000;
const RENEW_MS = 10_000;
const SETTLE_MS = 150;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs the work when no other tab of this origin is at it. The browser's locks end with their tab;
 * pages without them (plain http) lease a place in the storage.
 */
export async function inOneTab(name: string, work: () => Promise<void>): Promise<void> {
  if (navigator.locks) return navigator.locks.request(name, work);
  const me = Math.random().toString(36).slice(2);
  while (!(await lease(name, me))) await sleep(RENEW_MS);
  const renewal = setInterval(() => write(name, me), RENEW_MS);
  try {
    await work();
  } finally {
    clearInterval(renewal);
    attempt(() => localStorage.removeItem(name));
  }
}

async function lease(name: string, me: string): Promise<boolean> {
  const [owner, until] = (attempt(() => localStorage.getItem(name)) ?? '').split(' ');
  if (owner && owner !== me && Number(until) > Date.now()) return false;
  if (!write(name, me)) return true;
  // Whoever wrote last has it.
  await sleep(SETTLE_MS);
  return (attempt(() => localStorage.getItem(name)) ?? '').startsWith(`${me} `);
}

function write(name: string, me: string): boolean {
  return succeeds(() => localStorage.setItem(name, `${me} ${Date.now() + LEASE_MS}`));
}
