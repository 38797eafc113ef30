import { writeFileSync } from 'node:fs';

/**
 * What `npm test` reports when the run ends, written to `VITEST_SUMMARY` as
 * `{ passed, failed: [{ title, message }], flaky: [{ title, message }] }`. A file or group that cannot
 * run has no tests to count, so it fails as a whole. A flaky test failed once and then passed.
 *
 * @implements {import('vitest/reporters').Reporter}
 */
export default class VitestSummary {
  /** @param {ReadonlyArray<import('vitest/node').TestModule>} modules */
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const stateOf = (test) => test.result().state;
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const failed = [
      ...tests
        .filter((test) => stateOf(test) === 'failed')
        .map((test) => ({ title: titleOf(test), message: firstLine(test.result().errors) })),
      ...groups
        .filter((group) => group.errors().length > 0)
        .map((group) => ({ title: titleOf(group), message: firstLine(group.errors()) })),
    ];
    const flaky = tests
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => ({ title: titleOf(test), message: firstLine(test.result().errors ?? []) }));
    const summary = {
      passed: tests.filter((test) => stateOf(test) === 'passed').length,
      failed,
      flaky,
    };
    writeFileSync(String(process.env.VITEST_SUMMARY), JSON.stringify(summary));
  }
}

const titleOf = (entry) =>
  entry.type === 'module' ? entry.relativeModuleId : `${entry.module.relativeModuleId} › ${entry.fullName}`;

const firstLine = ([error]) => String(error?.message ?? 'no reason given').split('\n')[0];
