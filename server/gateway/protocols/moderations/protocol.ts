import type { ClientProtocol } from '../client-protocol';
import { measureInput } from '../measure-size';
import { WHOLE_RESULT } from '../whole-results';
import { type ModerationsRequest, messagesOf, validateModerations } from './schema';

export type ModerationsClientRequest = { format: 'moderations'; body: ModerationsRequest };

/** Moderation is free: its format has no usage, so the cost is in the header only. */
export const moderationsProtocol: ClientProtocol<ModerationsClientRequest> = {
  ...WHOLE_RESULT,
  modelType: 'moderation',
  validate: (json) => ({ format: 'moderations', body: validateModerations(json) }),
  prompts: ({ body }) => messagesOf(body).length,
  messages: ({ body }) => messagesOf(body),
  measure: ({ body }) => measureInput(messagesOf(body), { tools: [], output: [] }),
  addCost: (_, response) => response,
};
