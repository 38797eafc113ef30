import { build, stop } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

afterAll(() => stop());

test('the server imports OpenTelemetry only at run time', async () => {
  const { metafile } = await build({
    entryPoints: ['server/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs)
    .flatMap((output) => output.imports)
    .filter(({ path }) => path.startsWith('@opentelemetry/'));
  expect(new Set(imports.map(({ kind }) => kind))).toEqual(new Set(['dynamic-import']));
});
