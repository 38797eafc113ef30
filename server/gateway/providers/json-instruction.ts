import { countCharacters } from '../protocols/count-characters';
import type { Json } from '../protocols/neutral';
import { refuse } from '../protocols/read-fields';

/** A longer one fits into no context window, and would take long to write. */
const MAX_SCHEMA = 4_000_000;

/** The schema as an instruction, where it cannot be enforced. `param` is where the client gave it. */
export function writeSchemaInstruction(schema: Json, param = 'response_format.json_schema.schema'): string {
  if (countCharacters(schema) > MAX_SCHEMA)
    throw refuse(param, `must not have more than ${MAX_SCHEMA} characters for this model`);
  return `Answer with JSON only, by this schema:\n${JSON.stringify(schema)}`;
}
