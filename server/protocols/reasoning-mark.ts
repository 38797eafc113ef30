/**
 * The signature that we put under thoughts of a provider that signs none. It says who thought
 * them, so that they go back to no one else: a foreign signature is refused by the provider that
 * checks it.
 */
const PREFIX = 'svc-thought.';

export function writeReasoningMark(provider: string, model: string): string {
  return PREFIX + Buffer.from(JSON.stringify([provider, model])).toString('base64url');
}

export function isReasoningMark(signature: string | null): signature is string {
  return signature?.startsWith(PREFIX) ?? false;
}

/** The provider whose thought this is; null for one that signed it itself. */
export function providerOfMark(signature: string | null): string | null {
  if (!isReasoningMark(signature)) return null;
  try {
    const [provider]: unknown[] = JSON.parse(
      Buffer.from(signature.slice(PREFIX.length), 'base64url').toString(),
    );
    return typeof provider === 'string' ? provider : '';
  } catch {
    return '';
  }
}
