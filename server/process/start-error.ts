/** A start that cannot go on, told in one message that says what to do. Shown without a stack. */
export class StartError extends Error {
  override name = 'StartError';
}
