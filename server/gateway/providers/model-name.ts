import { endOfString } from '../../base/json-text';

const TOKEN = /["{}[\]:]/g;

/**
 * Replaces the model name of the provider with the one that the client requested: in the member `model` of
 * the object at `depth` (1 is the outermost). Works on the text, so that everything else stays byte for byte
 * as the provider sent it.
 */
export function renameModel(json: string, model: string, depth = 1): string {
  let nesting = 0;
  let last = '';
  /** The position where the value of the member begins; -1 outside it. */
  let valueAt = -1;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(json); match; match = TOKEN.exec(json)) {
    let token = match[0];
    if (token === '{' || token === '[') nesting++;
    else if (token === '}' || token === ']') nesting--;
    else if (token === '"') {
      const end = endOfString(json, match.index) + 1;
      if (valueAt >= 0 && json.slice(valueAt, match.index).trim() === '')
        return json.slice(0, match.index) + JSON.stringify(model) + json.slice(end);
      token = json.slice(match.index, end);
      TOKEN.lastIndex = end;
    }
    valueAt = token === ':' && last === '"model"' && nesting === depth ? match.index + 1 : -1;
    last = token;
  }
  return json;
}
