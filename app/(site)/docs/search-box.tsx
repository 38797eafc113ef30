import { Search } from 'lucide-react';
import { useId } from 'react';

/** Opens the results as a page, so that it works without scripts. */
export function SearchBox({ query = '', landmark = 'Documentation' }) {
  const id = useId();
  return (
    <search aria-label={landmark}>
      <form action="/docs/search" className="relative">
        <label htmlFor={id} className="sr-only">
          Search the documentation
        </label>
        <Search
          size={16}
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted"
        />
        <input
          id={id}
          type="search"
          name="q"
          defaultValue={query}
          placeholder="Search"
          maxLength={200}
          autoComplete="off"
          className="h-11 w-full rounded-lg border border-line bg-surface pr-3 pl-9 text-base placeholder:text-muted lg:h-9 lg:text-sm"
        />
      </form>
    </search>
  );
}
