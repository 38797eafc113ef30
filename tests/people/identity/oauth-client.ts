import * as oauth from 'oauth4webapi';

/** An unchanged OAuth client, given only the address of the service and the publishable key. */
export class OauthClient {
  readonly #verifier = oauth.generateRandomCodeVerifier();

  private constructor(
    readonly server: oauth.AuthorizationServer,
    private readonly client: oauth.Client,
  ) {}

  static async discover(service: string, publishableKey: string): Promise<OauthClient> {
    const issuer = new URL(service);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...OPTIONS });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    return new OauthClient(server, { client_id: publishableKey });
  }

  /** Where the client sends the browser. */
  async authorizeAddress(redirectUri: string, state: string): Promise<string> {
    const url = new URL(this.server.authorization_endpoint ?? '');
    const parameters = {
      client_id: this.client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'credits',
      code_challenge: await oauth.calculatePKCECodeChallenge(this.#verifier),
      code_challenge_method: 'S256',
      state,
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Checks the address that the browser returned to, its issuer included, and exchanges the code. */
  async exchange(returned: string, redirectUri: string, state: string): Promise<oauth.TokenEndpointResponse> {
    const checked = oauth.validateAuthResponse(this.server, this.client, new URL(returned), state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...this.#asPublicClient(),
      checked,
      redirectUri,
      this.#verifier,
      OPTIONS,
    );
    return oauth.processAuthorizationCodeResponse(this.server, this.client, response);
  }

  async beginOnDevice(): Promise<oauth.DeviceAuthorizationResponse> {
    const response = await oauth.deviceAuthorizationRequest(...this.#asPublicClient(), {}, OPTIONS);
    return oauth.processDeviceAuthorizationResponse(this.server, this.client, response);
  }

  /** Throws the error of OAuth while there is no token. */
  async poll(deviceCode: string): Promise<oauth.TokenEndpointResponse> {
    const response = await oauth.deviceCodeGrantRequest(...this.#asPublicClient(), deviceCode, OPTIONS);
    return oauth.processDeviceCodeResponse(this.server, this.client, response);
  }

  /** The error of a poll, or null once there is a token. */
  async errorOfPoll(deviceCode: string): Promise<string | null> {
    return this.poll(deviceCode).then(() => null, errorOf);
  }

  async revoke(token: string): Promise<void> {
    const response = await oauth.revocationRequest(...this.#asPublicClient(), token, OPTIONS);
    await oauth.processRevocationResponse(response);
  }

  #asPublicClient(): [oauth.AuthorizationServer, oauth.Client, oauth.ClientAuth] {
    return [this.server, this.client, oauth.None()];
  }
}

/** What the standard calls a refusal. */
export function errorOf(failure: unknown): string {
  if (failure instanceof oauth.ResponseBodyError) return failure.error;
  throw failure;
}

/** The service of a test has no TLS. */
const OPTIONS = { [oauth.allowInsecureRequests]: true };
