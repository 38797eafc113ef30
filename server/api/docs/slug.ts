/** The anchor of a heading, as other Markdown renderers generate it. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}
