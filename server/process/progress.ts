import { now } from '../clock';

const SHOW_AFTER_MS = 1_000;

/** Prints the title of a step that takes long, and how long it took. */
export async function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  const begunAt = now();
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    process.stdout.write(`  ${title} …\n`);
  }, SHOW_AFTER_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (shown) process.stdout.write(`  … ${((now() - begunAt) / 1000).toFixed(1)} s\n`);
  }
}
