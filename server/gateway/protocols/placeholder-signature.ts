/**
 * The signature that we add to reasoning when the provider does not sign it. It names the provider, so that
 * the reasoning is sent back to that provider only: providers that check signatures reject foreign ones.
 */
const PREFIX = 'svc-thought.';

export function writePlaceholderSignature(provider: string, model: string): string {
  return PREFIX + Buffer.from(JSON.stringify([provider, model])).toString('base64url');
}

export function isPlaceholderSignature(signature: string | null): signature is string {
  return signature?.startsWith(PREFIX) ?? false;
}

/** The provider that produced the reasoning; null if the provider signed it itself. */
export function providerOfPlaceholder(signature: string | null): string | null {
  if (!isPlaceholderSignature(signature)) return null;
  try {
    const [provider]: unknown[] = JSON.parse(
      Buffer.from(signature.slice(PREFIX.length), 'base64url').toString(),
    );
    return typeof provider === 'string' ? provider : '';
  } catch {
    return '';
  }
}
