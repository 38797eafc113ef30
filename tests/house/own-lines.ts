import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * The functions of a file with more own lines than allowed, as `file name: lines`. Own lines are
 * those of a function without the lines of the functions nested in it; the line on which a nested
 * function begins counts for both.
 */
export function longFunctions(file: string, allowed: number): Record<string, number> {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: Record<string, number> = {};

  /** Measures the functions below a node and returns the lines that they take after their first. */
  function measure(node: ts.Node, parent?: ts.Node): number {
    let nested = 0;
    ts.forEachChild(node, (child) => {
      nested += measure(child, node);
    });
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return nested;
    const [first, last] = [node.getStart(source), node.end].map(
      (position) => source.getLineAndCharacterOfPosition(position).line,
    );
    const following = (last ?? 0) - (first ?? 0);
    const own = following + 1 - nested;
    if (own > allowed) found[`${file} ${nameOf(node, parent)}`] = own;
    return following;
  }

  /** A function, or the constant that holds it. */
  function nameOf({ name }: ts.SignatureDeclaration, parent?: ts.Node): string {
    const held = parent && ts.isVariableDeclaration(parent) ? parent.name : undefined;
    return (name ?? held)?.getText(source) ?? 'anonymous';
  }

  measure(source);
  return found;
}
