import { texts } from '@/texts/checkout/en';
import { wordsOf } from './messages';

/** For pages that are in English only and say what the checkout says. */
export const ENGLISH = wordsOf(texts, 'en');
