import { runUntilStopped } from '@/server/process/lifetime';

/** A process that only says that it lives, until it is stopped. */
await runUntilStopped(async (life) => {
  const beat = setInterval(() => process.stdout.write('alive\n'), 10);
  life.onStop('beat', () => clearInterval(beat));
});
