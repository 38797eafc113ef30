import { readMails } from '../read-mails';

export async function GET(request: Request): Promise<Response> {
  const mails = await readMails(new URL(request.url).searchParams.get('to'));
  return Response.json(mails, { headers: { 'cache-control': 'no-store' } });
}
