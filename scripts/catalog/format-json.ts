const WIDTH = 150;

/** JSON with short values on one line each: a changed price is a changed line. */
export function formatJson(value: unknown, indent = 0): string {
  const line = inline(value);
  if (typeof value !== 'object' || value === null || line.length + indent <= WIDTH) return line;
  const pad = ' '.repeat(indent + 2);
  const entries = Array.isArray(value)
    ? value.map((entry) => pad + formatJson(entry, indent + 2))
    : Object.entries(value).map(
        ([key, entry]) => `${pad}${JSON.stringify(key)}: ${formatJson(entry, indent + 2)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${entries.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, entry]) => `${JSON.stringify(key)}: ${inline(entry)}`)
    .join(', ')} }`;
}
