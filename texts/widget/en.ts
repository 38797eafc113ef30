/** The words of the overlay around the checkout. */
export const texts = {
  title: 'Checkout',
  close: 'Close checkout',
  loading: 'Opening the checkout…',
  slow: 'The checkout is not responding',
  slowHint: 'A content blocker or a poor connection may be the cause.',
  retry: 'Try again',
  window: 'Open in a new window',
  elsewhere: 'Continue in the other window',
  elsewhereHint: 'This page continues when you are done there.',
} as const;
