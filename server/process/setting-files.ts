import { readFileSync } from 'node:fs';
import { SettingsError, settingNames } from '../base/env';
import { codeOf } from './data-dir';

/**
 * Settings from files, as containers are given secrets: `NAME_FILE` names a file with the value of `NAME`. `more`
 * are variables that are no settings, such as the keys of the operator's own providers.
 */
export function readSettingFiles(environment: Record<string, string | undefined>, more: string[] = []): void {
  const refusals: string[] = [];
  for (const name of [...settingNames(), ...more]) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    if (environment[name]) {
      refusals.push(`${name}_FILE: expected to be unset, because ${name} is set`);
      continue;
    }
    try {
      environment[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      delete environment[`${name}_FILE`];
    } catch (error) {
      refusals.push(`${name}_FILE: expected a file that this user can read (${file}: ${codeOf(error)})`);
    }
  }
  if (refusals.length > 0) throw new SettingsError(refusals.join('\n'));
}
