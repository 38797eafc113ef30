/** Introduces a system message that is sent as a user turn, where the model accepts no other. */
export const OPERATOR_NOTE = '[Note from the operator of this app]';
