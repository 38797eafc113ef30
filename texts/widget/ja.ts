import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: 'お支払い',
  close: 'お支払いページを閉じる',
  loading: 'お支払いページを開いています…',
  slow: 'お支払いページが応答していません',
  slowHint: 'コンテンツブロッカーまたは接続不良が原因の可能性があります。',
  retry: '再試行',
  window: '新しいウィンドウで開く',
  elsewhere: '別のウィンドウで続けてください',
  elsewhereHint: 'そちらが完了すると、このページに戻ります。',
};
