import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** A regular expression of the source. `isRepeated`: it is applied to the rest after each match. */
export type Expression = { place: string; source: string; flags: string; isRepeated: boolean };

/** What the variable parts of expressions may contain, by how the source writes them. */
const PARTS: Readonly<Record<string, string>> = {
  language: 'python',
  LETTERS: 'BCDFGHJKLMNPQRSTVWXZ',
  CHARACTERS: '8',
  "['Zyyy', 'Zinh', ...scripts].map((script) => `\\\\p{scx=${script}}`).join('')":
    '\\p{scx=Zyyy}\\p{scx=Latn}',
  prefix: 'ATU',
  name: 'svc',
  source: '/v1/([^/]+)/receipts/(.+)',
  MARK: '0123456789abcdef#',
  HEX: '<([0-9a-fA-F\\s]*)>',
  kind: 'card',
  "path.replaceAll(':id', '(\\\\w+)')": 'accounts/(\\w+)/login_links',
};

const SOURCES = ['app', 'server', 'sandbox', 'widget'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.ts$|^(loader|create)\/dist\//.test(file))
    .map((file) => `${folder}/${file}`),
);

/** Every regular expression of the product: literals, and calls of `RegExp`. */
export function findExpressions(): Expression[] {
  return [...SOURCES, 'proxy.ts', 'instrumentation.ts'].flatMap(expressionsOf);
}

function expressionsOf(file: string): Expression[] {
  const found: Expression[] = [];
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const add = (node: ts.Node, source: string, flags: string): void => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    const call = node.parent;
    const isSplit =
      ts.isCallExpression(call) &&
      ts.isPropertyAccessExpression(call.expression) &&
      call.expression.name.text === 'split';
    found.push({ place: `${file}:${line + 1}`, source, flags, isRepeated: isSplit || /[gy]/.test(flags) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    } else if (isConstruction(node)) {
      const [pattern, flags] = node.arguments ?? [];
      // The name of another expression, which is found where it is written.
      if (pattern !== undefined && !ts.isIdentifier(pattern))
        add(node, readPattern(pattern), flags === undefined ? '' : readPattern(flags));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const isConstruction = (node: ts.Node): node is ts.NewExpression | ts.CallExpression =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === 'RegExp';

function readPattern(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) throw new Error(`${node.getText()} is no literal and no template`);
  const parts = node.templateSpans.map(({ expression, literal }) => readPart(expression) + literal.text);
  return node.head.text + parts.join('');
}

function readPart(node: ts.Expression): string {
  const part = PARTS[node.getText()];
  if (part === undefined) throw new Error(`PARTS lacks an example of ${node.getText()}`);
  return part;
}
