const MODEL_MEMBER = /("model"\s*:\s*)"(?:[^"\\]|\\.)*"/;

/**
 * Puts the name that the client asked for where the provider wrote its own. Works on the text,
 * so that everything else stays byte for byte what the provider sent: inside a JSON string every
 * quote is escaped, so the first unescaped match is a real member.
 */
export function renameModel(json: string, model: string): string {
  return json.replace(MODEL_MEMBER, (_, member: string) => member + JSON.stringify(model));
}
