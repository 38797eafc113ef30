import { gateDocument } from '../document';

/** Any page may frame the gate. It holds no data, reads no cookie, and only identifies its opener. */
export const GET = (request: Request): Promise<Response> => gateDocument(request);
