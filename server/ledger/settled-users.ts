/**
 * The users whose requests this instance settled recently, so that a background job finds those whose balance
 * fell without reading every wallet. What is lost when an instance dies is found when all are read again.
 */
const settled = new Set<string>();

export function noteSettled(userId: string): void {
  settled.add(userId);
}

/** Returns them and begins again. */
export function takeSettledUsers(): string[] {
  const users = [...settled];
  settled.clear();
  return users;
}
