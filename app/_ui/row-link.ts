/**
 * The name in a row that links to its page, with a faint underline that shows it is a link before it
 * is hovered.
 */
export const ROW_LINK = 'underline decoration-field/50 underline-offset-4 hover:decoration-current';
