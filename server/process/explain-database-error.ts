import { codeOf } from './data-dir';

/** By code of PostgreSQL, of Node's sockets or of its TLS. */
const REASONS: readonly [RegExp, string][] = [
  [
    /^3D000$/,
    'this database does not exist on the server. Create it, or correct the name at the end of the URL',
  ],
  [/^(28000|28P01)$/, 'the server refused the user or the password'],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    "the server's certificate is from an authority that this machine does not know. Add sslmode=verify-full&sslrootcert=FILE, with the CA certificate of the database's provider",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the server's certificate is for another host name than the one in the URL",
  ],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired"],
];

const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)$/;
const NO_TLS = /server does not support SSL/;

/** Why a database cannot be used and what to do; null if the reason is not one of connecting. */
export function explainDatabaseError(error: unknown): string | null {
  const code = codeOf(error) ?? '';
  if (UNREACHABLE.test(code)) return `Cannot reach the database. Check DATABASE_URL (${code}).`;
  const [, known] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  const text = error instanceof Error ? error.message : '';
  const reason = NO_TLS.test(text) ? 'the server offers no TLS, which sslmode asks for' : known;
  return reason === undefined ? null : `DATABASE_URL: ${reason} (${code === '' ? text : code}).`;
}
