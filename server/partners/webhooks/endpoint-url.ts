import { isIP } from 'node:net';
import { settings } from '../../base/env';
import { isPublicName } from '../../base/public-name';
import { isLoopbackAddress } from './public-address';

/** The rules for the URL of an endpoint, judged only by its text. */

export type UrlRefusalReason =
  | 'not_a_url'
  | 'too_long'
  | 'not_https'
  | 'credentials'
  | 'fragment'
  | 'port'
  | 'ip_address'
  | 'not_a_public_name'
  | 'own_address';

export type ParsedUrl =
  | { ok: true; url: URL; isLoopback: boolean }
  | { ok: false; reason: UrlRefusalReason; message: string };

const MAX_CHARACTERS = 2_000;

const MESSAGES: Record<UrlRefusalReason, string> = {
  not_a_url: 'Enter a full URL, such as https://example.com/webhooks',
  too_long: `The URL must have at most ${MAX_CHARACTERS} characters`,
  not_https: 'The URL must start with https://',
  credentials: 'The URL must not contain a user name or password',
  fragment: 'The URL must not contain a fragment (#)',
  port: 'The URL must use the standard HTTPS port, 443',
  ip_address: 'Use a domain name instead of an IP address',
  not_a_public_name: 'The host must be a public domain name such as hooks.example.com',
  own_address: 'The URL must not point to this service',
};

export function parseEndpointUrl(text: string): ParsedUrl {
  const trimmed = text.trim();
  if (trimmed.length > MAX_CHARACTERS) return refuse('too_long');
  if (!URL.canParse(trimmed)) return refuse('not_a_url');
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') return refuse('credentials');
  if (url.hash !== '' || trimmed.includes('#')) return refuse('fragment');
  if (settings().WEBHOOK_ALLOW_LOOPBACK && isLoopbackUrl(url)) return { ok: true, url, isLoopback: true };
  return parsePublicUrl(url);
}

function parsePublicUrl(url: URL): ParsedUrl {
  if (url.protocol !== 'https:') return refuse('not_https');
  if (url.port !== '') return refuse('port');
  // The parser has normalised every notation of an IP address (octal, hex, one number).
  if (isIP(bareHost(url)) !== 0) return refuse('ip_address');
  url.hostname = url.hostname.replace(/\.$/, '');
  if (!isPublicName(url.hostname)) return refuse('not_a_public_name');
  if (ownHosts().includes(url.hostname)) return refuse('own_address');
  return { ok: true, url, isLoopback: false };
}

/** Compared by name, because behind a shared proxy other services have the same IP address. */
function ownHosts(): string[] {
  const { BASE_URL, CHECKOUT_URL, SDK_URL } = settings();
  return [BASE_URL, CHECKOUT_URL, SDK_URL].map((address) => new URL(address).hostname);
}

function isLoopbackUrl(url: URL): boolean {
  const host = bareHost(url);
  const isLocal = isLoopbackAddress(host) || /^(.+\.)?localhost$/.test(host);
  return isLocal && (url.protocol === 'http:' || url.protocol === 'https:');
}

/** Without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function refuse(reason: UrlRefusalReason): ParsedUrl {
  return { ok: false, reason, message: MESSAGES[reason] };
}
