import { now } from '../base/clock';
import { showMessage } from './show-message';

const QUIET_MS = 1_000;

/** Reports a step that takes more than a second, and how long it took. */
export async function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  const begunAt = now();
  let isReported = false;
  const timer = setTimeout(() => {
    isReported = true;
    showMessage(`  ${title} …\n`);
  }, QUIET_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (isReported) showMessage(`  … ${((now() - begunAt) / 1000).toFixed(1)} s\n`);
  }
}
