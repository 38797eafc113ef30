/** A start that cannot continue. The message says what to do and is shown without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
