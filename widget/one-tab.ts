import { attempt, succeeds } from './key-store';

/** Longer than browsers throttle the timers of a background tab. */
const LEASE_MS = 90_000;
const RENEW_MS = 10_000;
const SETTLE_MS = 150;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs the work as soon as no other tab of this origin runs it. The browser releases its locks when a tab
 * closes. Pages without locks (plain http) write a lease to local storage.
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
  // The last tab to write owns the lease.
  await sleep(SETTLE_MS);
  return (attempt(() => localStorage.getItem(name)) ?? '').startsWith(`${me} `);
}

function write(name: string, me: string): boolean {
  return succeeds(() => localStorage.setItem(name, `${me} ${Date.now() + LEASE_MS}`));
}
