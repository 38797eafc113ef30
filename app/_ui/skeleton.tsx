import { PendingTitle } from './pending-title';

/**
 * Grey placeholders for a page's content. Used by `loading.tsx`, which knows which pages begin with
 * numbers.
 */
export function PageSkeleton({ hasNumbers = false }: { hasNumbers?: boolean }) {
  return (
    <div role="status" aria-label="Loading" className="animate-pulse">
      <PendingTitle />
      <h1 className="sr-only">Loading</h1>
      <div className="h-8 w-48 rounded-lg bg-sunken" />
      <div className="mt-3 mb-8 h-5 w-80 max-w-full rounded-lg bg-sunken" />
      {hasNumbers && (
        <div className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
          {['a', 'b', 'c', 'd'].map((place) => (
            <div key={place} className="h-28 rounded-xl bg-sunken" />
          ))}
        </div>
      )}
      <div className="h-72 rounded-xl bg-sunken" />
    </div>
  );
}
