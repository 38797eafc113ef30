/** The page of a list, as the URL has it. */
export const readPage = (text: string | string[] | undefined): number =>
  typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
