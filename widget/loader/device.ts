/** Sign-in with a code (RFC 8628), where the checkout cannot open: extensions, editors, mobile apps, terminals. */

export type DeviceCode = {
  /** For the user to compare, such as `WDJB-MJHT`. */
  userCode: string;
  /** Opens with the code filled in. */
  url: string;
};

export type DeviceOptions = {
  /** Such as `https://YOUR-SERVICE`. */
  service: string;
  publishableKey: string;
  /** Shows the code and opens the URL in a browser. */
  onCode(code: DeviceCode): void;
  signal?: AbortSignal;
};

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Resolves to the user key: store it where only this user can read it. Null if the user refused, or took too long. */
export async function signInWithCode(options: DeviceOptions): Promise<string | null> {
  const { publishableKey: client_id, onCode, signal } = options;
  const post = async (path: string, fields: Record<string, string>): Promise<Answer> => {
    const body = new URLSearchParams(fields).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(new URL(path, options.service), {
      method: 'POST',
      headers,
      body,
      ...(signal && { signal }),
    });
    return response.json();
  };
  const begun = await post('/oauth/device', { client_id });
  const { device_code, user_code, verification_uri_complete } = begun;
  if (!device_code || !user_code || !verification_uri_complete)
    throw new Error(`The sign-in could not begin: ${begun.error_description ?? begun.error}`);
  onCode({ userCode: user_code, url: verification_uri_complete });
  for (let seconds = begun.interval ?? 5; ; ) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const { access_token, error } = await post('/oauth/token', { grant_type: GRANT, client_id, device_code });
    if (access_token) return access_token;
    if (error === 'slow_down') seconds += 5;
    else if (error !== 'authorization_pending') return null;
  }
}

type Answer = {
  device_code?: string;
  user_code?: string;
  verification_uri_complete?: string;
  interval?: number;
  access_token?: string;
  error?: string;
  error_description?: string;
};
