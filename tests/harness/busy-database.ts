import { pool, prisma } from '@/server/db';

/** Does the work while all connections of this process but the ledger's own are in use. */
export async function whileDatabaseIsBusy(work: () => Promise<unknown>): Promise<void> {
  let free = () => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  const holders: Promise<unknown>[] = [];
  const held = Array.from({ length: pool().options.max }, () => [
    new Promise<void>((resolve) => holders.push(holdHot(resolve, freed))),
    new Promise<void>((resolve) => holders.push(holdPrisma(resolve, freed))),
  ]);
  await Promise.all(held.flat());
  try {
    await work();
  } finally {
    free();
    await Promise.all(holders);
  }
}

async function holdHot(onHeld: () => void, freed: Promise<void>): Promise<void> {
  const connection = await pool().connect();
  onHeld();
  await freed;
  connection.release();
}

function holdPrisma(onHeld: () => void, freed: Promise<void>): Promise<void> {
  return prisma().$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      onHeld();
      await freed;
    },
    { timeout: 60_000 },
  );
}
