import { GUIDES } from '@/server/api/docs/guides';

/** The page of this site that a link in a guide points to, or null for other files of the repository. */
export function resolveLink(href: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const match = /(?:^|\/)([\w-]+\.md)(#[^#]*)?$/.exec(href);
  const guide = GUIDES.find(({ file }) => file === match?.[1]);
  return guide ? `/docs/${guide.slug}${match?.[2] ?? ''}` : null;
}
