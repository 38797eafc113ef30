/** Identifies one save, so that it is booked once however often it is sent. */
export function newSaveId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
