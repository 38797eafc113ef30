import type { Translation } from '../say';
import type { texts as english } from './en';

export const texts: Translation<typeof english> = {
  title: '付款',
  close: '关闭付款页面',
  loading: '正在打开付款页面…',
  slow: '付款页面没有响应',
  slowHint: '可能是内容拦截器或网络连接不佳所致。',
  retry: '重试',
  window: '在新窗口中打开',
  elsewhere: '请在另一个窗口中继续',
  elsewhereHint: '在那里完成后，此页面将继续。',
};
