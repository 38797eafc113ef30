/**
 * The page of a dashboard that a path belongs to. The first page's path is the dashboard's own and
 * matches exactly.
 */
export function findCurrent<Page extends { href: string }>(pages: Page[], path: string): Page | undefined {
  const [first, ...others] = pages;
  if (path === first?.href) return first;
  return others.find(({ href }) => path === href || path.startsWith(`${href}/`));
}
