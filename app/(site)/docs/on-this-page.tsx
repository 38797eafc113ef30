import type { ReactNode } from 'react';

export type PageHeading = { id: string; title: string; depth?: number };

/** A text with its table of contents, on screens wide enough to show both. */
export function WithHeadings({ headings, children }: { headings: PageHeading[]; children: ReactNode }) {
  return (
    <div className="xl:grid xl:grid-cols-[minmax(0,1fr)_190px] xl:gap-10">
      <article className="max-w-[720px] min-w-0">{children}</article>
      {headings.length > 2 && (
        <nav
          aria-label="On this page"
          className="sticky top-24 hidden max-h-[calc(100dvh-8rem)] self-start overflow-y-auto text-[13px] xl:block"
        >
          <p className="pb-2 font-medium">On this page</p>
          <ul>
            {headings.map(({ id, title, depth = 2 }) => (
              <li key={id}>
                <a
                  href={`#${id}`}
                  className={`block py-1 text-muted hover:text-text ${depth > 2 ? 'pl-3' : ''}`}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
