/**
 * Describes a device from its user agent. Browsers name each other in theirs, so the order of the
 * rules matters. Anything no rule matches is called unknown, never guessed.
 */
export type DeviceDescription = { name: string; kind: 'computer' | 'phone' | 'program' };

const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/\d.{0,100}\bSafari\//, 'Safari'],
];

const SYSTEMS: [RegExp, string, DeviceDescription['kind']][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'phone'],
  [/\bAndroid\b/, 'Android', 'phone'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS', 'computer'],
  [/\bLinux\b|\bX11\b/, 'Linux', 'computer'],
];

/** A program whose user agent is `name/version` and nothing more. */
const PROGRAM = /^([A-Za-z][\w.-]{0,30})\/[\d.]+/;

export function describeDevice(userAgent: string): DeviceDescription {
  const browser = BROWSERS.find(([rule]) => rule.test(userAgent))?.[1];
  const system = SYSTEMS.find(([rule]) => rule.test(userAgent));
  if (browser && system) return { name: `${browser} on ${system[1]}`, kind: system[2] };
  if (browser) return { name: browser, kind: 'computer' };
  if (system) return { name: system[1], kind: system[2] };
  const program = PROGRAM.exec(userAgent)?.[1];
  return program && program !== 'Mozilla'
    ? { name: program, kind: 'program' }
    : { name: 'Unknown device', kind: 'computer' };
}
