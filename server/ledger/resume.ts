import type { Tx } from '../base/db';

/** Ends the pause after overruns. False if there was none. */
export async function resumeUser(tx: Tx, userId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ resumed: boolean }[]>`SELECT ledger_resume_user(${userId}) AS resumed`;
  return row?.resumed === true;
}

export async function resumePartner(tx: Tx, partnerId: string): Promise<boolean> {
  const [row] = await tx.$queryRaw<
    { resumed: boolean }[]
  >`SELECT ledger_resume_partner(${partnerId}) AS resumed`;
  return row?.resumed === true;
}
