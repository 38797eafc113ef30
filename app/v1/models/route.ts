import { servedModels } from '@/server/generation/upstream';
import { preflight } from '@/server/http/cors';
import { writeModelList } from '@/server/http/model-list';
import { respond } from '@/server/http/respond';

export const GET = (): Promise<Response> => respond('chat', () => Response.json(writeModelList(servedModels())));

export const OPTIONS = preflight;
