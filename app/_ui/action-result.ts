/**
 * What a server action answers. A refusal is a value: it says what was wrong and, where it can,
 * which field. `stepUp` asks the person to sign in again before the action is allowed.
 */
export type ActionResult<Value = undefined> =
  | { ok: true; message?: string; value?: Value }
  | { ok: false; message: string; field?: string; stepUp?: true };
