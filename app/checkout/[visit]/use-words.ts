'use client';

import { useEffect, useState } from 'react';
import type { Language } from '@/texts/languages';
import { loadWords } from '../load-words';
import type { Words } from '../messages';

/** Those of the page, until the account is known and has chosen another language. */
export function useWords(first: Words, chosen: Language | null): Words {
  const [words, setWords] = useState(first);
  useEffect(() => {
    if (chosen === null || chosen === words.language) return;
    let isCurrent = true;
    const change = (loaded: Words) => {
      if (!isCurrent) return;
      document.documentElement.lang = chosen;
      setWords(loaded);
    };
    loadWords(chosen).then(change, reportError);
    return () => {
      isCurrent = false;
    };
  }, [chosen, words]);
  return words;
}
