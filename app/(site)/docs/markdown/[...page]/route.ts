import { notFound } from 'next/navigation';
import { markdownResponse } from '@/app/_ui/markdown-response';
import { findDocsPage, writePage } from '@/server/api/docs/pages';

type Context = { params: Promise<{ page: string[] }> };

/** `/docs/PAGE.md`, for programs. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const page = findDocsPage((await params).page.join('/'));
  if (page === null) notFound();
  return markdownResponse(writePage(page));
}
