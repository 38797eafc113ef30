import type { Metadata } from 'next';
import { PageLink } from '@/app/_ui/page-link';
import { MAX_QUERY_CHARACTERS, searchDocs } from '@/server/api/docs/search';
import { SearchBox } from '../search-box';

export const metadata: Metadata = { title: 'Search', robots: { index: false } };

type Props = { searchParams: Promise<{ q?: string | string[] }> };

export default async function SearchPage({ searchParams }: Props) {
  const { q } = await searchParams;
  const query = (typeof q === 'string' ? q : '').trim().slice(0, MAX_QUERY_CHARACTERS);
  const found = query === '' ? [] : await searchDocs(query);
  return (
    <div className="max-w-[720px]">
      <h1 className="mb-5 text-[30px] leading-tight font-semibold tracking-tight">Search</h1>
      <SearchBox key={query} query={query} landmark="Search again" />
      <p role="status" className="mt-5 text-muted">
        {query === '' ? 'Results appear here.' : describe(found.length, query)}
      </p>
      <ul className="mt-3 divide-y divide-line">
        {found.map(({ path, title, excerpt }) => (
          <li key={path} className="py-4">
            <PageLink href={path} className="font-medium text-accent hover:underline">
              {title}
            </PageLink>
            <p className="mt-1 text-sm leading-relaxed wrap-anywhere text-muted">{excerpt}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

const describe = (count: number, query: string): string =>
  count === 0
    ? `Nothing matches “${query}”. Try a single word, an error code or a header.`
    : `${count === 1 ? '1 section' : `${count} sections`} for “${query}”, the best match first.`;
