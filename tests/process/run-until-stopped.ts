import { runUntilStopped } from '@/server/process/lifetime';

/** A process that prints a line at intervals until it is stopped. */
await runUntilStopped(async (life) => {
  const beat = setInterval(() => process.stdout.write('alive\n'), 10);
  life.onStop('beat', () => clearInterval(beat));
});
