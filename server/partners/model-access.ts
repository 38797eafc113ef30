import { NO_RULES, type RuleSet } from '../base/data-rules';
import { pool } from '../base/db';

/** Whether a partner may use a model, and the data rules of the partner and the user. Without a list, every model is allowed. */
export async function readModelAccess(
  { userId, partnerId }: { userId: string; partnerId: string },
  model: string,
): Promise<{ isAllowed: boolean; dataRules: RuleSet }> {
  const { rows } = await pool().query<{ isAllowed: boolean; dataRules: RuleSet }>(
    `SELECT p.all_models OR $3 = ANY (p.allowed_models) AS "isAllowed", p.data_rules | coalesce(w.data_rules, 0) AS "dataRules"
     FROM partner p LEFT JOIN wallet w ON w.user_id = $1 WHERE p.id = $2`,
    [userId, partnerId, model],
  );
  return rows[0] ?? { isAllowed: false, dataRules: NO_RULES };
}
