/**
 * The users whose requests this instance settled recently, so that background jobs find those whose balance
 * fell without reading every wallet. What is lost when an instance dies is found when all are read again.
 */
const settled = { balances: new Set<string>(), warnings: new Set<string>() };

export function noteSettled(userId: string): void {
  settled.balances.add(userId);
  settled.warnings.add(userId);
}

/** Returns those that the job has not read yet. */
export function takeSettledUsers(job: keyof typeof settled): string[] {
  const users = [...settled[job]];
  settled[job].clear();
  return users;
}
