/**
 * The result of a server action. A refusal is a value: it says what was wrong and, where possible, in
 * which field. `stepUp` asks the user to sign in again before the action is allowed.
 */
export type ActionResult<Value = undefined> =
  | { ok: true; message?: string; value?: Value }
  | { ok: false; message: string; field?: string; stepUp?: true };
