/** The path of a request, as it was sent. */
export const pathnameOf = (url: string | undefined): string => url?.split('?', 1)[0] ?? '/';
