import type { Metadata } from 'next';
import { headingsOf, Markdown } from '../../parts/markdown';
import { readClients, resolveLink } from '../guides';
import { WithHeadings } from '../on-this-page';

export const metadata: Metadata = { title: 'Clients', description: 'The same request from every client.' };

export default function ClientsPage() {
  const text = readClients();
  return (
    <WithHeadings headings={headingsOf(text)}>
      <h1 className="mb-4 text-[30px] leading-tight font-semibold tracking-tight sm:text-[36px]">Clients</h1>
      <Markdown text={text} resolveLink={resolveLink} />
    </WithHeadings>
  );
}
