import type { Json } from '../../protocols/neutral';
import { asArray, asObject, isObject, leaveOut } from '../../protocols/read-fields';
import type { RequestTarget } from '../request-target';
import type { ChatCapabilities } from './chat-capabilities';

/** Cache breakpoints: Anthropic's `cache_control`, which other gateways accept in this format too. */

export const CACHE_BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } };
const CACHE_FIELDS = new Set(['cache_control']);

/** Breakpoints of a message and of its parts; a message without any is returned as it is. */
export function repairBreakpoints(
  message: Json,
  target: RequestTarget,
  capabilities: ChatCapabilities,
): Json {
  const { content } = message;
  const isMarked = (json: unknown) => asObject(json).cache_control !== undefined;
  if (target.profile.takesRouterFields || !(isMarked(message) || asArray(content).some(isMarked)))
    return message;
  const own = leaveOut(message, CACHE_FIELDS);
  if (Array.isArray(content))
    own.content = content.map((part) =>
      isObject(part) ? repairBreakpoint(part, target, capabilities) : part,
    );
  return own;
}

/** Turns Anthropic's breakpoint into OpenAI's, or drops it where the model has none. */
export function repairBreakpoint(
  part: Json,
  { profile }: RequestTarget,
  { cacheBreakpoints }: ChatCapabilities,
): Json {
  if (part.cache_control === undefined || profile.takesRouterFields) return part;
  return Object.assign(leaveOut(part, CACHE_FIELDS), cacheBreakpoints ? CACHE_BREAKPOINT : {});
}
