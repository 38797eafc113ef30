type Facts = Record<string, unknown>;

const asFacts = (value: unknown): Facts =>
  value !== null && typeof value === 'object' ? (value as Facts) : {};
const write = (value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? value.join(', ')
    : value === null || value === undefined || Array.isArray(value)
      ? 'none'
      : String(value);

/** What differs between two sets of facts of an audit log, as `before → after`. */
export function describeChange(from: unknown, to: unknown): string[] {
  const [before, after] = [asFacts(from), asFacts(to)];
  return Object.entries(after)
    .filter(
      ([name, value]) =>
        !(value === null && !(name in before)) && JSON.stringify(before[name]) !== JSON.stringify(value),
    )
    .map(([name, value]) =>
      name in before
        ? `${name.replaceAll('_', ' ')}: ${write(before[name])} → ${write(value)}`
        : `${name.replaceAll('_', ' ')}: ${write(value)}`,
    );
}
