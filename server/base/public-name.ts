/** Names that never resolve to a host on the internet. */
const INNER_NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|test|invalid|onion|alt)$/;
/** The last label begins with a letter, so that no notation of an IP address is a name. */
const DOMAIN_NAME = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

/** Whether a host, in lower case, is a name on the public internet, judged only by its text. */
export const isPublicName = (host: string): boolean => DOMAIN_NAME.test(host) && !INNER_NAMES.test(host);
