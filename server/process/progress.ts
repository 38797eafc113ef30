import { now } from '../clock';

const WORTH_TELLING_MS = 1_000;

/** Names a step that turns out to take long, and says how long it took. */
export async function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  const begunAt = now();
  let told = false;
  const timer = setTimeout(() => {
    told = true;
    process.stdout.write(`  ${title} …\n`);
  }, WORTH_TELLING_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (told) process.stdout.write(`  … ${((now() - begunAt) / 1000).toFixed(1)} s\n`);
  }
}
