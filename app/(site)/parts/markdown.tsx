import { lexer, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { PageLink } from '@/app/_ui/page-link';
import { slugOf } from '@/server/api/docs/slug';
import { CodeBlock } from './code-block';

/**
 * Renders Markdown of this repository as React elements: marked parses it, and nothing becomes raw HTML.
 */

type Props = {
  text: string;
  /** The page that a link in the text points to, or null if the site has no such page. */
  resolveLink?: (href: string) => string | null;
};

type Resolve = NonNullable<Props['resolveLink']>;

const keep: Resolve = (href) => (/^(https?:|mailto:|#|\/)/.test(href) ? href : null);

export function Markdown({ text, resolveLink = keep }: Props) {
  return (
    <div className="grid min-w-0 gap-4 leading-relaxed [&>*]:min-w-0">{blocks(lexer(text), resolveLink)}</div>
  );
}

/** The headings of a text, for its table of contents. */
export function headingsOf(text: string): { title: string; id: string; depth: number }[] {
  return lexer(text)
    .filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth > 1)
    .map(({ text: title, depth }) => ({ title: title.replaceAll(/[`*]/g, ''), id: slugOf(title), depth }));
}

const blocks = (tokens: Token[], resolve: Resolve): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
  tokens.map((token, i) => <Fragment key={i}>{block(token, resolve)}</Fragment>);

function block(token: Token, resolve: Resolve): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} resolve={resolve} />;
    case 'paragraph':
      return <p>{inline(token.tokens, resolve)}</p>;
    case 'text':
      return token.tokens ? inline(token.tokens, resolve) : token.raw;
    case 'code':
      return <CodeBlock code={token.text} language={token.lang?.split(/\s/)[0] || 'text'} />;
    case 'list':
      return <List token={token as Tokens.List} resolve={resolve} />;
    case 'table':
      return <Table token={token as Tokens.Table} resolve={resolve} />;
    case 'blockquote':
      return (
        <blockquote className="grid gap-3 border-l-2 border-accent pl-4 text-muted">
          {blocks(token.tokens ?? [], resolve)}
        </blockquote>
      );
    case 'hr':
      return <hr className="border-line" />;
    case 'html':
      return token.raw;
    default:
      return null;
  }
}

function Heading({ token, resolve }: { token: Tokens.Heading; resolve: Resolve }) {
  const content = inline(token.tokens, resolve);
  if (token.depth === 1)
    return <h1 className="text-[30px] leading-tight font-semibold tracking-tight">{content}</h1>;
  const Tag = token.depth === 2 ? 'h2' : 'h3';
  return (
    <AnchoredHeading
      as={Tag}
      id={slugOf(token.text)}
      className={token.depth === 2 ? 'mt-8 text-xl font-semibold' : 'mt-4 font-semibold'}
    >
      {content}
    </AnchoredHeading>
  );
}

/** A heading that links to itself. */
export function AnchoredHeading({
  as: Tag,
  id,
  className,
  children,
}: {
  as: 'h2' | 'h3';
  id: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <Tag id={id} className={`scroll-mt-24 ${className}`}>
      <a href={`#${id}`} className="group rounded">
        {children}
        <span aria-hidden="true" className="ml-2 font-normal text-muted opacity-0 group-hover:opacity-100">
          #
        </span>
      </a>
    </Tag>
  );
}

function List({ token, resolve }: { token: Tokens.List; resolve: Resolve }) {
  const Tag = token.ordered ? 'ol' : 'ul';
  return (
    <Tag
      className={`grid grid-cols-1 gap-2 pl-6 marker:text-muted ${token.ordered ? 'list-decimal' : 'list-disc'}`}
    >
      {token.items.map((item, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
        <li key={i} className="space-y-3">
          {blocks(item.tokens, resolve)}
        </li>
      ))}
    </Tag>
  );
}

function Table({ token, resolve }: { token: Tokens.Table; resolve: Resolve }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto rounded-xl border border-line">
      <table
        className={`w-full border-collapse text-sm [&_td_code]:whitespace-nowrap ${token.header.length > 2 ? 'min-w-[38rem]' : ''}`}
      >
        <thead>
          <tr className="border-b border-line bg-sunken text-left">
            {token.header.map((cell, i) =>
              cell.text === '' ? (
                // A column without a title gets an empty cell instead of a heading.
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
                <td key={i} />
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
                <th key={i} scope="col" className="px-4 py-2.5 font-medium">
                  {inline(cell.tokens, resolve)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
            <tr key={i} className="border-b border-line/70 align-top last:border-0">
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
                <td key={j} className="px-4 py-2.5">
                  {inline(cell.tokens, resolve)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: Token[] | undefined, resolve: Resolve): ReactNode[] {
  return (tokens ?? []).map((token, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
    <Fragment key={i}>{inlineOne(token, resolve)}</Fragment>
  ));
}

function inlineOne(token: Token, resolve: Resolve): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens, resolve)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, resolve)}</em>;
    case 'del':
      return <del>{inline(token.tokens, resolve)}</del>;
    case 'codespan':
      return <InlineCode>{token.text}</InlineCode>;
    case 'br':
      return <br />;
    case 'link':
      return <TextLink href={resolve(token.href)}>{inline(token.tokens, resolve)}</TextLink>;
    case 'text':
    case 'escape':
      return token.text;
    default:
      return token.raw;
  }
}

export function InlineCode({ children }: { children: ReactNode }) {
  return (
    <code className="rounded-[5px] bg-sunken px-[0.35em] py-[0.15em] font-mono text-[0.88em] wrap-anywhere">
      {children}
    </code>
  );
}

/** Text that contains only `code` as markup, such as descriptions in the API document. */
export function ProseLine({ text }: { text: string }) {
  return text.split('`').map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a fixed text
    i % 2 === 1 ? <InlineCode key={i}>{part}</InlineCode> : <Fragment key={i}>{part}</Fragment>,
  );
}

/** A link, or plain text if it has no address. */
export function TextLink({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return children;
  const look = 'text-accent underline decoration-accent/40 underline-offset-[3px] hover:decoration-accent';
  return href.startsWith('/') && !href.startsWith('/v1/') ? (
    <PageLink href={href} className={look}>
      {children}
    </PageLink>
  ) : (
    <a href={href} className={look}>
      {children}
    </a>
  );
}
