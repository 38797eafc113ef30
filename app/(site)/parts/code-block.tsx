import { CopyButton } from './copy-button';
import { highlight } from './highlight';

type Props = {
  code: string;
  language: string;
  /** Shown above the code and read out with the copy button. */
  title?: string;
};

const NAMES: Record<string, string> = {
  js: 'JavaScript',
  ts: 'TypeScript',
  tsx: 'TSX',
  python: 'Python',
  sh: 'Shell',
  json: 'JSON',
  html: 'HTML',
  http: 'HTTP',
  go: 'Go',
  text: 'Text',
};

/** Code with a copy button. Long lines scroll inside the block, never the page. */
export function CodeBlock({ code, language, title }: Props) {
  const text = code.replace(/\n{1,9}$/, '');
  const name = title ?? NAMES[language] ?? language;
  return (
    <figure className="min-w-0 overflow-hidden rounded-xl border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-3 border-b border-line pr-1.5 pl-4 sm:py-1 text-xs text-muted">
        <span className="truncate">{name}</span>
        <CopyButton text={text} what={name} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-[560px] overflow-auto p-4 font-mono text-[13px] leading-[1.65]">
        <code>
          {highlight(text, language).map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text
            <span key={i}>
              {line.map(({ text: piece, className }, j) =>
                className === '' ? (
                  piece
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a fixed text
                  <span key={j} className={className}>
                    {piece}
                  </span>
                ),
              )}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}
