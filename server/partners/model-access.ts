import { NO_RULES, type RuleSet } from '../base/data-rules';
import { pool } from '../base/db';

/** Of an app and one of its users. Without a list, every model is allowed. */
export type ModelAccess = {
  isAllowed: boolean;
  /** Those of the app and those of the user. */
  dataRules: RuleSet;
  /** The commission of the app. */
  rateBp: number;
};

const NO_ACCESS: ModelAccess = { isAllowed: false, dataRules: NO_RULES, rateBp: 0 };

export async function readModelAccess(
  { userId, partnerId }: { userId: string; partnerId: string },
  model: string,
): Promise<ModelAccess> {
  const { rows } = await pool().query<ModelAccess>(
    `SELECT p.all_models OR $3 = ANY (p.allowed_models) AS "isAllowed", p.data_rules | coalesce(w.data_rules, 0) AS "dataRules",
       p.rate_bp AS "rateBp"
     FROM partner p LEFT JOIN wallet w ON w.user_id = $1 WHERE p.id = $2`,
    [userId, partnerId, model],
  );
  return rows[0] ?? NO_ACCESS;
}
