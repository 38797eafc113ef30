import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { findGuide, readGuide } from '@/server/api/docs/guides';
import { headingsOf, Markdown } from '../../parts/markdown';
import { WithHeadings } from '../on-this-page';
import { resolveLink } from '../resolve-link';

type Props = { params: Promise<{ guide: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const guide = findGuide((await params).guide);
  return guide ? { title: guide.title, description: guide.description } : {};
}

export default async function GuidePage({ params }: Props) {
  const guide = findGuide((await params).guide);
  if (guide === null) notFound();
  const text = readGuide(guide);
  return (
    <WithHeadings headings={headingsOf(text)}>
      <Markdown text={text} resolveLink={resolveLink} />
    </WithHeadings>
  );
}
