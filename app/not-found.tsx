import type { Metadata } from 'next';
import { buttonClass } from './_ui/button';

export const metadata: Metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-3 p-8 text-center">
      <p className="font-mono text-sm text-muted">404</p>
      <h1 className="text-2xl font-semibold">There is nothing at this address</h1>
      <p className="max-w-sm text-muted">The link may be old, or a letter is missing.</p>
      <a href="/" className={`${buttonClass({ look: 'secondary' })} mt-3`}>
        Go to the front page
      </a>
    </main>
  );
}
