// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** LiteLLM from PyPI, in a virtual environment of its own that is kept for the next run. */

export const LITELLM_VERSION = '1.102.4';
const FOLDER = path.join(import.meta.dirname, '../../.data/bench', `litellm-${LITELLM_VERSION}`);

/**
 * @param {{ upstreamOrigin: string, model: string, key: string }} provider
 * @returns {{ program: string, config: string }}
 */
export function installLitellm({ upstreamOrigin, model, key }) {
  const bin = path.join(FOLDER, 'bin');
  const installed = path.join(FOLDER, 'installed');
  if (!existsSync(installed)) {
    console.log(`Installing LiteLLM ${LITELLM_VERSION} from PyPI`);
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    run('python3', ['-m', 'venv', FOLDER]);
    run(path.join(bin, 'pip'), ['install', '--quiet', `litellm[proxy]==${LITELLM_VERSION}`]);
    writeFileSync(installed, '');
  }
  const config = path.join(FOLDER, 'config.json');
  const provider = { model, api_base: `${upstreamOrigin}/v1`, api_key: key };
  // JSON is YAML, which is what LiteLLM reads.
  writeFileSync(
    config,
    JSON.stringify({
      model_list: [{ model_name: model, litellm_params: provider }],
      general_settings: { master_key: key },
    }),
  );
  return { program: path.join(bin, 'litellm'), config };
}

/** @param {string} program @param {string[]} args */
function run(program, args) {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(`LiteLLM could not be installed. It needs Python 3.10 or newer and PyPI.\n${why}`.trim());
  }
}
