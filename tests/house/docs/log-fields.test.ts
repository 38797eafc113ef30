import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';

const files = ['server', 'sandbox', 'app'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`),
);
const fields = new Set(files.flatMap(readFields));

test('log fields are snake_case', () => {
  expect(fields.size).toBeGreaterThan(20);
  expect([...fields].filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
});

/** The names of the fields in the calls of the log of a file. */
function readFields(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('log()')) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^log\(\)[.[]/.test(node.expression.getText())) {
      const [first] = node.arguments;
      if (first !== undefined && ts.isObjectLiteralExpression(first)) found.push(...namesIn(first));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** A spread of anything but a literal would hide its names, so it counts as one that is not allowed. */
function namesIn(object: ts.ObjectLiteralExpression): string[] {
  return object.properties.flatMap((property) => {
    if (!ts.isSpreadAssignment(property)) {
      const nested = ts.isPropertyAssignment(property) ? property.initializer : undefined;
      const inner = nested && ts.isObjectLiteralExpression(nested) ? namesIn(nested) : [];
      return [property.name?.getText() ?? '', ...inner];
    }
    let { expression } = property;
    while (ts.isParenthesizedExpression(expression)) expression = expression.expression;
    if (ts.isBinaryExpression(expression)) expression = expression.right;
    return ts.isObjectLiteralExpression(expression) ? namesIn(expression) : [expression.getText()];
  });
}
