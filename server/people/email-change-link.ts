import { isKeyedHash, keyedHash } from '../base/keyed-hash';

/** The link in a mail that undoes a change of the e-mail address. It is signed, and works while the change is kept. */

const PURPOSE = 'email-change-link';
const TOKEN = /^(ech_[0-9A-Za-z]{22})\.([\w-]{43})$/;

export const writeUndoToken = (changeId: string): string =>
  `${changeId}.${keyedHash(PURPOSE, changeId).toString('base64url')}`;

/** The change that a token undoes, or null when the token is not ours. */
export function readUndoToken(token: string): string | null {
  const [, changeId = '', signature = ''] = TOKEN.exec(token) ?? [];
  return isKeyedHash(Buffer.from(signature, 'base64url'), PURPOSE, changeId) ? changeId : null;
}
