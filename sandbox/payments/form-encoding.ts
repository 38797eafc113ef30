type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = { [name: string]: FormValue };

/** Reads Stripe's bracket syntax: `line_items[0][price_data][currency]=usd`, `expand[]=…`. */
export function parseForm(text: string): Form {
  const root: Branch = new Map();
  for (const [name, value] of new URLSearchParams(text)) place(root, splitName(name), value);
  const read = toValue(root);
  return typeof read === 'object' && !Array.isArray(read) ? read : {};
}

/** `['line_items', 0, 'quantity']` as Stripe names it in errors: `line_items[0][quantity]`. */
export function joinName(path: readonly PropertyKey[]): string {
  return path.map((part, depth) => (depth === 0 ? String(part) : `[${String(part)}]`)).join('');
}

type Branch = Map<string, Branch | string>;

/** Stripe has no field as deep. */
const MAX_DEPTH = 20;

function splitName(name: string): string[] {
  const [head = ''] = name.split('[', 1);
  return [head, ...Array.from(name.matchAll(/\[([^[\]]*)\]/g), (match) => match[1] ?? '')].slice(
    0,
    MAX_DEPTH,
  );
}

function place(branch: Branch, [head = '', ...rest]: string[], value: string): void {
  const key = head === '' ? String(branch.size) : head;
  if (rest.length === 0) {
    branch.set(key, value);
    return;
  }
  const child = branch.get(key);
  const next: Branch = child instanceof Map ? child : new Map();
  branch.set(key, next);
  place(next, rest, value);
}

function toValue(branch: Branch | string): FormValue {
  if (typeof branch === 'string') return branch;
  const keys = [...branch.keys()];
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) return [...branch.values()].map(toValue);
  return Object.fromEntries([...branch].map(([key, child]) => [key, toValue(child)]));
}
