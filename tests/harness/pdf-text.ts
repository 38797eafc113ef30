import { inflateSync } from 'node:zlib';

/** The text of a PDF of ours, one line per drawn text, from its fonts' tables of characters. */
export function readPdfText(pdf: Uint8Array): string[] {
  const source = inflate(Buffer.from(pdf).toString('latin1'));
  const objects = new Map(
    [...source.matchAll(/\n(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id, body]) => [id, body]),
  );
  const characters = new Map(
    [...source.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, id]) => {
      const cmap = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1];
      return [name, readCmap(objects.get(cmap) ?? '')];
    }),
  );
  const lines: string[] = [];
  let font = new Map<number, string>();
  for (const [, name, drawn] of source.matchAll(/\/(F\d+) [\d.]+ Tf|(\[.*\]) TJ/g)) {
    if (name !== undefined) font = characters.get(name) ?? font;
    const codes = [...(drawn ?? '').matchAll(/<([0-9a-f]+)>/g)].flatMap(
      ([, hex = '']) => hex.match(/.{4}/g) ?? [],
    );
    if (codes.length > 0)
      lines.push(codes.map((code) => font.get(Number.parseInt(code, 16)) ?? '\ufffd').join(''));
  }
  return lines;
}

/** Decompresses the streams; the metadata are plain. */
function inflate(source: string): string {
  return source.replace(/(?<!end)stream\n([\s\S]*?)\nendstream/g, (whole, data: string) =>
    data.startsWith('\x78')
      ? `stream\n${inflateSync(Buffer.from(data, 'latin1')).toString('latin1')}\nendstream`
      : whole,
  );
}

/** Ranges as PDFKit writes them: `<first> <last> [<character> …]`. */
function readCmap(cmap: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const [, first = '', list = ''] of cmap.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi)) {
    [...list.matchAll(/<([0-9a-f ]+)>/gi)].forEach(([, hex = ''], index) => {
      const units = (hex.replaceAll(' ', '').match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16));
      found.set(Number.parseInt(first, 16) + index, String.fromCharCode(...units));
    });
  }
  return found;
}
