import { GUIDES } from '@/server/api/docs/guides';
import { GROUPS } from '@/server/api/openapi/operation';

export type NavGroup = { title: string; links: { href: string; label: string }[] };

/** Every page of the documentation, in reading order. */
export function navigation(): NavGroup[] {
  return [
    { title: 'Get started', links: [{ href: '/docs', label: 'Quickstart' }] },
    {
      title: 'Guides',
      links: [
        ...GUIDES.map(({ slug, title }) => ({ href: `/docs/${slug}`, label: title })),
        { href: '/docs/buttons', label: 'Buttons' },
      ],
    },
    {
      title: 'API reference',
      links: [
        { href: '/docs/api', label: 'Overview' },
        ...Object.entries(GROUPS)
          .filter(([id]) => id !== 'document')
          .map(([id, { title }]) => ({ href: `/docs/api/${id}`, label: title })),
        { href: '/docs/api/webhooks', label: 'Webhook events' },
        { href: '/docs/errors', label: 'Errors' },
      ],
    },
  ];
}
