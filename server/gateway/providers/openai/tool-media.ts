import type { Json } from '../../protocols/neutral';
import { asArray, asObject, asText } from '../../protocols/read-fields';

const isText = (part: unknown): boolean => asObject(part).type === 'text';
const holdsMedia = ({ role, content }: Json): boolean =>
  role === 'tool' && Array.isArray(content) && !content.every(isText);

/** Introduces the media of a result. */
export const resultLabel = (callId: string): Json & { type: 'text'; text: string } => ({
  type: 'text',
  text: `[Result of the tool call ${callId}]`,
});

/** Tool messages accept only text: media move to the user message after the results, or to one of their own. */
export function moveToolMedia(messages: Json[]): Json[] {
  if (!messages.some(holdsMedia)) return messages;
  const moved: Json[] = [];
  let shown: unknown[] = [];
  for (const message of messages) {
    const { role, content, tool_call_id: callId } = message;
    if (role !== 'tool' && shown.length > 0) {
      const own = role === 'user' ? toParts(content) : [];
      moved.push({ role: 'user', content: [...shown, ...own] });
      shown = [];
      if (role === 'user') continue;
    }
    if (!holdsMedia(message)) {
      moved.push(message);
      continue;
    }
    const parts = asArray(content);
    shown.push(resultLabel(asText(callId)), ...parts.filter((part) => !isText(part)));
    moved.push(Object.assign({}, message, { content: parts.filter(isText) }));
  }
  return shown.length === 0 ? moved : [...moved, { role: 'user', content: shown }];
}

const toParts = (content: unknown): unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content);
