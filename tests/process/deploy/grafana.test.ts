import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The types that Grafana publishes for dashboards of the version in `compose.yaml`. Enums become their strings. */
const TYPES = `
import type { Dashboard, DataQuery, GraphFieldConfig, Panel, VariableModel } from '@grafana/schema';
import type { Options } from '@grafana/schema/dist/types/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.d.ts';
type Json<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
type Target = DataQuery & { expr: string; legendFormat: string };
type Config = Omit<NonNullable<Panel['fieldConfig']>['defaults'], 'custom'> & { custom: GraphFieldConfig };
type FieldConfig = Omit<NonNullable<Panel['fieldConfig']>, 'defaults'> & { defaults: Config };
type Drawn = Omit<Panel, 'options' | 'fieldConfig' | 'targets'>
  & { type: 'timeseries'; options: Options; fieldConfig: FieldConfig; targets: Target[] };
type Expected = Omit<Dashboard, 'panels' | 'templating'>
  & { annotations: {}; panels: Drawn[]; templating: { list: VariableModel[] } };
`;
const FILE = path.resolve('tests/process/deploy/dashboard.ts');

test('the Grafana dashboard fits the types that Grafana publishes', { timeout: 60_000 }, () => {
  const dashboard = readFileSync('deploy/grafana/dashboards/svc.json', 'utf8');
  expect(findTypeErrors(dashboard)).toEqual([]);
  expect(findTypeErrors(dashboard.replace('"showLegend"', '"showsLegend"'))).toEqual([
    expect.stringContaining('\'"showsLegend"\' does not exist'),
  ]);
});

test('the types of the dashboard are those of the Grafana that Docker Compose starts', () => {
  const [, version] = /grafana\/grafana:(\S+)/.exec(readFileSync('compose.yaml', 'utf8')) ?? [];
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['@grafana/schema']).toBe(version);
});

function findTypeErrors(dashboard: string): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (file) => file === FILE || fileExists(file);
  host.readFile = (file) =>
    file === FILE ? `${TYPES}\nexport const dashboard: Json<Expected> = ${dashboard};` : readFile(file);
  const program = ts.createProgram([FILE], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
