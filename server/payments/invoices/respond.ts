import { ApiError } from '../../base/errors';
import { inTurn } from '../../base/in-turn';
import { findDocument } from './documents';
import { renderPdf } from './pdf';

const FILE = /^((?:INV|CN)-\d{4}-\d{6,10})\.pdf$/;

/** A PDF keeps the thread of the pages busy. Few requests wait, because their users do. */
const renderInTurn = inTurn(2, 20);

/** The PDF of a document; `userId` null serves those of all users. Null if there is none. */
export async function respondWithPdf(file: string, userId: string | null): Promise<Response | null> {
  const number = FILE.exec(file)?.[1];
  const issued = number === undefined ? null : await findDocument(number, userId);
  if (issued === null) return null;
  return sendPdf(file, () => renderPdf(issued));
}

/** The response of a document that is rendered in turn with others. */
export async function sendPdf(
  file: string,
  render: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Response> {
  const pdf = await renderInTurn(render).catch(refuseBusy);
  if (pdf instanceof Response) return pdf;
  return new Response(pdf, {
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${file}"`,
    },
  });
}

function refuseBusy(error: unknown): Response {
  if (!(error instanceof ApiError)) throw error;
  return new Response(error.message, {
    status: error.status,
    headers: { 'retry-after': String(error.retryAfterSeconds) },
  });
}
