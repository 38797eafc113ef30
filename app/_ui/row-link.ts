/** The name in a row that leads to its page: a quiet line says so before a pointer is over it. */
export const ROW_LINK = 'underline decoration-field/50 underline-offset-4 hover:decoration-current';
