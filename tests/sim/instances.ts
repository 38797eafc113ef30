import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../harness/free-port';

const MOST_STARTS = 3;
const START_PATIENCE_MS = 60_000;
/**
 * Running requests end within this time; a connection that was opened and never used would delay the stop
 * further.
 */
const STOP_PATIENCE_MS = 5_000;
const CHECK_INTERVAL_MS = 50;

/** One real server process on the shared database. It can be killed and restarted. */
export class Instance {
  private child: ChildProcess | undefined;
  private isOver = false;
  /** All output of the process, if the environment names a folder in KEEP_LOG. */
  log = '';
  /** What of it came on standard output. */
  output = '';

  private constructor(
    readonly url: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  static async prepare(dataDir: string, environment: NodeJS.ProcessEnv): Promise<Instance> {
    const port = await freePort();
    return new Instance(`http://127.0.0.1:${port}`, {
      ...environment,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
    });
  }

  static async start(dataDir: string, environment: NodeJS.ProcessEnv): Promise<Instance> {
    const instance = await Instance.prepare(dataDir, environment);
    await instance.run();
    return instance;
  }

  /** Starts the process like a supervisor: again, when the database was unreachable. */
  async run(): Promise<void> {
    for (let tries = 1; ; tries++) {
      if (this.isOver) throw new Error('The simulation is over');
      const problem = await this.startProcess();
      if (problem === null) return;
      if (tries === MOST_STARTS) throw new Error(`A server did not start: ${problem}`);
    }
  }

  /** Null once it responds, otherwise its last error. */
  private async startProcess(): Promise<string | null> {
    const child = spawn(process.execPath, [path.resolve('.build/main.mjs')], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer) => {
        if (!this.environment.KEEP_LOG) return;
        this.log += text;
        if (stream === child.stdout) this.output += text;
      });
    let problem = '';
    child.stderr?.on('data', (text: Buffer) => {
      problem = `${problem}${text}`.slice(-2_000);
    });
    this.child = child;
    for (let waitedMs = 0; waitedMs < START_PATIENCE_MS; waitedMs += CHECK_INTERVAL_MS) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      if (await this.isResponding()) return null;
      await pause(CHECK_INTERVAL_MS);
    }
    await this.kill();
    return problem;
  }

  /** Like a crash or a power cut: nothing is finished or logged. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Like a live migration, or a machine without memory: everything stands still until `resume`. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Permanently: a pending start does not happen. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.kill();
  }

  /** Like an operator's stop: running requests are finished and settled. */
  async stop(patienceMs = STOP_PATIENCE_MS): Promise<void> {
    const timeout = setTimeout(() => this.child?.kill('SIGKILL'), patienceMs);
    await this.end('SIGTERM');
    clearTimeout(timeout);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  private async isResponding(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/v1/models`, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}
