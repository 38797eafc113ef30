import type { Metadata } from 'next';
import { buttonClass } from './_ui/button';

export const metadata: Metadata = { title: 'Not found' };

const PLACES = [
  ['/pricing', 'Models and prices', 'What every model costs'],
  ['/docs', 'Documentation', 'Quickstart, guides, API reference'],
  ['/account', 'Your account', 'Credits, apps, devices'],
];

export default function NotFound() {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-[520px] content-center gap-3 px-5 py-16">
      <p className="font-mono text-sm text-muted">404</p>
      <h1 className="text-[30px] leading-tight font-semibold tracking-tight">Page not found</h1>
      <p className="text-muted">The link may be outdated or mistyped. You may be looking for:</p>
      <ul className="mt-3 divide-y divide-line border-y border-line">
        {PLACES.map(([href, name, text]) => (
          <li key={href}>
            <a href={href} className="group flex flex-wrap items-baseline justify-between gap-x-4 py-3.5">
              <span className="font-medium underline-offset-4 group-hover:underline">{name}</span>
              <span className="text-sm text-muted">{text}</span>
            </a>
          </li>
        ))}
      </ul>
      <p className="mt-4">
        <a href="/" className={buttonClass({ look: 'secondary' })}>
          Go to the home page
        </a>
      </p>
    </main>
  );
}
