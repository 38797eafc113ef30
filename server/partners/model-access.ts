import { pool } from '../base/db';

/** Whether a partner may use a model. Without a list, every model is allowed. */
export async function isModelAllowed(partnerId: string, model: string): Promise<boolean> {
  const { rows } = await pool().query<{ allowed: boolean }>(
    'SELECT all_models OR $2 = ANY (allowed_models) AS allowed FROM partner WHERE id = $1',
    [partnerId, model],
  );
  return rows[0]?.allowed ?? false;
}
