/**
 * The signature that we give to thoughts of a provider that signs none. It names the provider, so
 * that the thoughts go back to no other: providers that check signatures refuse foreign ones.
 */
const PREFIX = 'svc-thought.';

export function writeReasoningMark(provider: string, model: string): string {
  return PREFIX + Buffer.from(JSON.stringify([provider, model])).toString('base64url');
}

export function isReasoningMark(signature: string | null): signature is string {
  return signature?.startsWith(PREFIX) ?? false;
}

/** The provider that made the thought; null for one that signs its own. */
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
