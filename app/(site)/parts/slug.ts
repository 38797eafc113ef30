/** The anchor of a heading, as other renderers of Markdown make it. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}
