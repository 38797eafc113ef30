import { preflight } from '@/server/base/http/cors';
import { directRoute } from '@/server/base/http/direct-route';
import { respond } from '@/server/base/http/respond';
import { listStoredFiles, uploadFile } from '@/server/gateway/run/batches/files';

export const POST = directRoute('chat', '/v1/files', uploadFile);

export const GET = (request: Request): Promise<Response> => respond('chat', () => listStoredFiles(request));

export const OPTIONS = preflight;
