import ipaddr from 'ipaddr.js';

/**
 * The rules for what may restrict a user key: web origins and networks. A list is written in one field,
 * separated by spaces or commas. Pure, so that the pages apply the same rules as the server.
 */

export type ParsedList = { ok: true; list: string[] } | { ok: false; reason: string };
type ParsedEntry = { ok: true; value: string } | { ok: false; reason: string };

export const MAX_RESTRICTIONS = 50;

/** Parses addresses and networks (`203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`) into CIDR notation. */
export const parseNetworks = (text: string): ParsedList => parseList(text, parseNetwork);

/** Parses web origins into the text that a browser sends. */
export const parseOrigins = (text: string): ParsedList => parseList(text, parseWebOrigin);

function parseList(text: string, parse: (entry: string) => ParsedEntry): ParsedList {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length > MAX_RESTRICTIONS)
    return { ok: false, reason: `expected at most ${MAX_RESTRICTIONS} entries` };
  const list = new Set<string>();
  for (const entry of entries) {
    const parsed = parse(entry);
    if (!parsed.ok) return { ok: false, reason: `${entry}: ${parsed.reason}` };
    list.add(parsed.value);
  }
  return { ok: true, list: [...list] };
}

const EXPECTED_NETWORK = 'expected an IP address or a network such as 203.0.113.0/24 or 2001:db8::/32';

function parseNetwork(entry: string): ParsedEntry {
  const [address = '', length, ...rest] = entry.split('/');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  if (!isAddress || address.includes('%') || rest.length > 0) return { ok: false, reason: EXPECTED_NETWORK };
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress())
    return { ok: false, reason: 'expected the IPv4 form of this address' };
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(prefix >= 0 && prefix <= bits)) return { ok: false, reason: EXPECTED_NETWORK };
  const cidr = `${parsed.toString()}/${prefix}`;
  const network = (parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(cidr);
  return { ok: true, value: `${network.toString()}/${prefix}` };
}

const WEB_ORIGIN = /^https?:\/\/[^/?#@\\*]+\/?$/i;

function parseWebOrigin(entry: string): ParsedEntry {
  return WEB_ORIGIN.test(entry) && URL.canParse(entry)
    ? { ok: true, value: new URL(entry).origin }
    : { ok: false, reason: 'expected a web origin such as https://app.example.com' };
}
