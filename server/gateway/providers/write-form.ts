import { UploadedFile } from '../../base/http/read-multipart';
import type { Json } from '../protocols/neutral';

/** The header of a form with this boundary. */
export const formHeaders = (boundary: string): Record<string, string> => ({
  'content-type': `multipart/form-data; boundary=${boundary}`,
});

/**
 * Writes `multipart/form-data`. A list becomes a part for each item, an object one for each field. The bytes of files are
 * those of the client, not copied.
 */
export function writeForm(body: Json, boundary: string): Buffer[] {
  const parts: Buffer[] = [];
  const addHead = (name: string, more = ''): number =>
    parts.push(
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"${more}\r\n\r\n`,
      ),
    );
  const add = (name: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (value instanceof UploadedFile) {
      addHead(name, `; filename="${escapeName(value.filename)}"\r\ncontent-type: ${value.contentType}`);
      parts.push(value.bytes);
    } else if (Array.isArray(value)) {
      for (const item of value) add(`${name}[]`, item);
      return;
    } else if (typeof value === 'object') {
      for (const [inner, item] of Object.entries(value)) add(`${name}[${inner}]`, item);
      return;
    } else {
      addHead(name);
      parts.push(Buffer.from(String(value)));
    }
    parts.push(LINE_END);
  };
  for (const [name, value] of Object.entries(body)) add(name, value);
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return parts;
}

/** As browsers do. */
const escapeName = (name: string): string => name.replace(/[\r\n"]/g, encodeURIComponent);

const LINE_END = Buffer.from('\r\n');
