import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The largest file first, as always, but before all the one that mostly waits for faults: begun
 * last, it would leave the other process without work for a minute.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/sim/');
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}
