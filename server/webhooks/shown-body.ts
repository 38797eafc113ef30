/** What the masked copy of an event's body is sealed to, so that it never passes for the body. */
export const shownIn = (eventId: string): string => `${eventId} shown`;
