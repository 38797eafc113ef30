/** Where a system message is not taken the user speaks for the operator, and says so. */
export const OPERATOR_NOTE = '[Note from the operator of this app]';
