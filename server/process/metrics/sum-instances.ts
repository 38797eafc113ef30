import { AggregatorRegistry, type MetricObject } from 'prom-client';

/**
 * The metrics of several instances as one. What an instance had counted when it was last asked stays in the sums after
 * its end: to Prometheus, a counter that falls has started again from zero.
 */
export class SummedMetrics<Instance> {
  readonly #latest = new Map<Instance, MetricObject[]>();
  #ended: MetricObject[] = [];

  async sum(answers: Iterable<[Instance, MetricObject[] | undefined]>): Promise<MetricObject[]> {
    for (const [instance, values] of answers) if (values) this.#latest.set(instance, values);
    return addUp([this.#ended, ...this.#latest.values()]);
  }

  async end(instance: Instance): Promise<void> {
    const counters = this.#latest.get(instance)?.filter(({ type }) => COUNTED.has(type)) ?? [];
    this.#latest.delete(instance);
    this.#ended = await addUp([this.#ended, counters]);
  }
}

/** Not gauges: an instance that has ended has no connections. */
const COUNTED = new Set<unknown>(['counter', 'histogram']);

const addUp = (values: MetricObject[][]): Promise<MetricObject[]> =>
  AggregatorRegistry.aggregate(values).getMetricsAsJSON();
