/** Set by the proxy: which site a request is for, `service`, `checkout` or `demo`. */
export const SITE_HEADER = 'x-svc-site';
