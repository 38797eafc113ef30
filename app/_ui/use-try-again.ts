import { useRouter } from 'next/navigation';
import { startTransition } from 'react';

/** For a page that failed to load: the server must be asked again, because the error was its response. */
export function useTryAgain(reset: () => void): () => void {
  const router = useRouter();
  return () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
}
