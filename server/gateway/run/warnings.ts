const MAX_LENGTH = 1_000;

/** The header that names what svc changed in a request; none without a change. */
export function writeWarnings(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {};
  const printable = warnings.join('; ').replace(/[^\x20-\x7e]/g, '?');
  return { 'x-svc-warnings': printable.slice(0, MAX_LENGTH) };
}
