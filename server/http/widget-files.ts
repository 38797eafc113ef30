/**
 * What `widget/build.mjs` writes lies under /v1 like the API, but is files: the script, its types,
 * what pins it, and under a version's address what never changes.
 */
const WIDGET_FILE = /^\/v1\/(?:svc\.(?:js|json|d\.ts)|(\d+\.\d+\.\d+)\/svc(?:\.js|-checkout\.tgz))$/;

/** Whether the address names a version, or null for what is no file of the widget. */
export function findWidgetFile(pathname: string): { isPinned: boolean } | null {
  const match = WIDGET_FILE.exec(pathname);
  return match && { isPinned: match[1] !== undefined };
}
