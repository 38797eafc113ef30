/** The service cannot start. The message says what to do and is shown without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}
