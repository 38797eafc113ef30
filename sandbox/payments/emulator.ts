import type { Records } from './records';
import type { WebhookSender } from './webhook-sender';

export type Emulator = { records: Records; webhooks: WebhookSender; baseUrl: () => string };
