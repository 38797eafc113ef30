import { pool, prisma } from '@/server/base/db';

/** Runs the work while all connections of this process are in use, except the ledger's own. */
export async function whileDatabaseIsBusy(work: () => Promise<unknown>): Promise<void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holders: Promise<unknown>[] = [];
  const held = Array.from({ length: pool().options.max }, () => [
    new Promise<void>((resolve) => holders.push(holdHot(resolve, released))),
    new Promise<void>((resolve) => holders.push(holdPrisma(resolve, released))),
  ]);
  await Promise.all(held.flat());
  try {
    await work();
  } finally {
    release();
    await Promise.all(holders);
  }
}

async function holdHot(onHeld: () => void, released: Promise<void>): Promise<void> {
  const connection = await pool().connect();
  onHeld();
  await released;
  connection.release();
}

function holdPrisma(onHeld: () => void, released: Promise<void>): Promise<void> {
  return prisma().$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      onHeld();
      await released;
    },
    { timeout: 60_000 },
  );
}
