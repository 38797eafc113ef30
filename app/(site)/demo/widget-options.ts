import { CHECKOUT_MODES, CURRENCIES, DISPLAYS } from '@/widget/contract';

/**
 * The options this page starts the widget with. `init` is called once per page load, so they are
 * kept in the URL: a change reloads the page, and the URL can be shared.
 */
export type DemoOptions = {
  display: string;
  checkoutMode: string;
  currency: string;
  /** As typed; sent as metadata `note`. */
  note: string;
  /** As typed; passed to `open`. */
  amount: string;
};

export const CHOICES = { display: DISPLAYS, checkoutMode: CHECKOUT_MODES, currency: CURRENCIES };

const DEFAULTS: DemoOptions = {
  display: 'embedded',
  checkoutMode: 'embedded',
  currency: 'usd',
  note: '',
  amount: '',
};

export function readDemoOptions(search: string): DemoOptions {
  const given = new URLSearchParams(search);
  const names = Object.keys(DEFAULTS) as (keyof DemoOptions)[];
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? DEFAULTS[name]])) as DemoOptions;
}

export function writeDemoOptions(options: DemoOptions): string {
  const changed = Object.entries(options).filter(
    ([name, value]) => value !== DEFAULTS[name as keyof DemoOptions],
  );
  return `?${new URLSearchParams(changed)}`;
}

/** Without default values, as a partner would write it. */
export function initOptions({ display, checkoutMode, currency, note }: DemoOptions): Record<string, unknown> {
  const changed = Object.entries({ display, checkoutMode, currency }).filter(
    ([name, value]) => value !== DEFAULTS[name as keyof DemoOptions],
  );
  return { ...Object.fromEntries(changed), ...(note !== '' && { metadata: { note } }) };
}

export function openOptions({ amount }: DemoOptions): { amount: number } | undefined {
  return amount === '' ? undefined : { amount: Number(amount) };
}

/** The code for the chosen options. */
export function writeCode(
  options: DemoOptions,
  setup: { publishableKey: string; scriptUrl: string },
): string {
  const given = { publishableKey: setup.publishableKey, ...initOptions(options) };
  const lines = Object.entries(given).map(([name, value]) => `    ${name}: ${asCode(value)},`);
  const open = openOptions(options);
  return [
    `<script src="${setup.scriptUrl}"></script>`,
    '<script>',
    '  Svc.init({',
    ...lines,
    ...(options.checkoutMode === 'manual'
      ? ['    onCheckoutOpened: ({ checkout_url }) => window.open(checkout_url),']
      : []),
    '    onLoginCompleted: ({ user_key, balance }) => show(balance),',
    '    onCreditsAdded: ({ balance }) => show(balance),',
    '  });',
    `  button.onclick = () => Svc.open(${open ? asCode(open) : ''});`,
    '</script>',
  ].join('\n');
}

function asCode(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${asCode(field)}`);
  return `{ ${fields.join(', ')} }`;
}
