/**
 * The output of `widget/build.mjs` is served under /v1 next to the API, but as files: the script,
 * its types, its integrity hash, and immutable copies at versioned URLs.
 */
const WIDGET_FILE = /^\/v1\/(?:svc\.(?:js|json|d\.ts)|(\d+\.\d+\.\d+)\/svc(?:\.js|-checkout\.tgz))$/;

/** Whether the path is versioned, or null when it is not a widget file. */
export function findWidgetFile(pathname: string): { isPinned: boolean } | null {
  const match = WIDGET_FILE.exec(pathname);
  return match && { isPinned: match[1] !== undefined };
}
