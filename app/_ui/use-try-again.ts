import { useRouter } from 'next/navigation';
import { startTransition } from 'react';

/** For a page that could not be read: the server has to be asked again, what it answered was the error. */
export function useTryAgain(reset: () => void): () => void {
  const router = useRouter();
  return () =>
    startTransition(() => {
      router.refresh();
      reset();
    });
}
