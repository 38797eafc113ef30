import { createCssVariablesTheme, createHighlighterCoreSync, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import go from 'shiki/langs/go.mjs';
import html from 'shiki/langs/html.mjs';
import javascript from 'shiki/langs/javascript.mjs';
import json from 'shiki/langs/json.mjs';
import python from 'shiki/langs/python.mjs';
import shell from 'shiki/langs/shellscript.mjs';
import tsx from 'shiki/langs/tsx.mjs';
import typescript from 'shiki/langs/typescript.mjs';

/**
 * Highlights code with classes, because our content security policy blocks style attributes. Runs on
 * the server, once per text.
 */

export type Piece = { text: string; className: string };

const PREFIX = '--code-';
const CLASSES: Record<string, string> = {
  'token-keyword': 'text-accent',
  'token-string': 'text-positive',
  'token-string-expression': 'text-positive',
  'token-constant': 'text-warning',
  'token-comment': 'text-muted',
  'token-punctuation': 'text-muted',
};

const ALIASES: Record<string, string> = {
  js: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  sh: 'shellscript',
  bash: 'shellscript',
  shell: 'shellscript',
  py: 'python',
};

let highlighter: HighlighterCore | undefined;
const done = new Map<string, Piece[][]>();
/** More texts than the documentation has, so that nothing static is highlighted twice. */
const MAX_KEPT = 500;

export function highlight(code: string, language: string): Piece[][] {
  const key = `${language}\n${code}`;
  const known = done.get(key);
  if (known) return known;
  const lines = colour(code, ALIASES[language] ?? language);
  if (done.size < MAX_KEPT) done.set(key, lines);
  return lines;
}

function colour(code: string, language: string): Piece[][] {
  highlighter ??= createHighlighterCoreSync({
    themes: [createCssVariablesTheme({ name: 'roles', variablePrefix: PREFIX })],
    langs: [go, html, javascript, json, python, shell, tsx, typescript],
    engine: createJavaScriptRegexEngine(),
  });
  if (!highlighter.getLoadedLanguages().includes(language)) {
    return code.split('\n').map((text) => [{ text, className: '' }]);
  }
  const { tokens } = highlighter.codeToTokens(code, {
    lang: language,
    theme: 'roles',
    // With the default limit, a slow moment leaves the rest of a line without colours in the cache.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) => joinEqual(line.map(({ content, color = '' }) => toPiece(content, color))));
}

function toPiece(text: string, color: string): Piece {
  const role = color.slice(`var(${PREFIX}`.length, -1);
  return { text, className: text.trim() === '' ? '' : (CLASSES[role] ?? '') };
}

/** Joins neighbours of the same colour, so that the page is smaller. */
function joinEqual(pieces: Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && (last.className === piece.className || piece.text.trim() === '')) last.text += piece.text;
    else joined.push({ ...piece });
  }
  return joined;
}
