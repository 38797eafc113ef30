/** Set by the proxy: the site a request is for, `service`, `checkout` or `demo`. */
export const SITE_HEADER = 'x-svc-site';

/** Set by the proxy: path and query, which a page cannot read otherwise. */
export const PATH_HEADER = 'x-svc-path';
