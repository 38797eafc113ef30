import { createHash } from 'node:crypto';
import type { Message } from './generation-request';

const BYTES_PER_TOKEN = 4;
/** Each message costs its text plus a few tokens for role and separators. */
const TOKENS_PER_MESSAGE = 4;
const CACHE_BLOCK_TOKENS = 64;
const REMEMBERED_PREFIXES = 5_000;

const countMessage = (message: Message): number =>
  TOKENS_PER_MESSAGE + Math.ceil(Buffer.byteLength(message.text) / BYTES_PER_TOKEN);

export function countPromptTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + countMessage(message), 0);
}

/**
 * A provider's prompt cache: if a later prompt starts with the same messages, that prefix counts as
 * cached, in whole blocks of 64 tokens.
 */
export class PromptCache {
  private readonly seen = new Set<string>();

  /** Returns how many tokens of this prompt are cached, and caches the prompt. */
  read(model: string, messages: readonly Message[]): number {
    const hash = createHash('sha256').update(model);
    let tokens = 0;
    let cachedTokens = 0;
    for (const message of messages) {
      tokens += countMessage(message);
      hash.update(JSON.stringify([message.role, message.text]));
      const prefix = hash.copy().digest('base64url');
      if (this.seen.has(prefix)) cachedTokens = tokens;
      else this.remember(prefix);
    }
    return Math.floor(cachedTokens / CACHE_BLOCK_TOKENS) * CACHE_BLOCK_TOKENS;
  }

  private remember(prefix: string): void {
    this.seen.add(prefix);
    const [oldest] = this.seen;
    if (this.seen.size > REMEMBERED_PREFIXES && oldest !== undefined) this.seen.delete(oldest);
  }
}
