import { findDocument } from './documents';
import { renderPdf } from './pdf';

const FILE = /^((?:INV|CN)-\d{4}-\d{6,10})\.pdf$/;

/** The PDF of a document; `userId` null serves those of all users. Null if there is none. */
export async function respondWithPdf(file: string, userId: string | null): Promise<Response | null> {
  const number = FILE.exec(file)?.[1];
  const issued = number === undefined ? null : await findDocument(number, userId);
  if (issued === null) return null;
  return new Response(await renderPdf(issued), {
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${file}"`,
      'cache-control': 'private, no-store',
    },
  });
}
