/**
 * The result of a server action. A refusal is a value: it says what was wrong and, where possible, in
 * which field. `stepUp` asks the user to confirm that they are present before the action is allowed,
 * `signedOut` to sign in again.
 */
export type ActionResult<Value = undefined> =
  | { ok: true; message?: string; value?: Value }
  | {
      ok: false;
      message: string;
      field?: string;
      stepUp?: true;
      signedOut?: true;
      /** Of the API's error, for a page that writes the message in another language. */
      code?: string;
      waitSeconds?: number;
    };
