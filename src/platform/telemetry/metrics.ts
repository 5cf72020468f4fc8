/**
 * What the service counts, by OpenTelemetry. A part makes its instruments from the meter that it is given; nobody
 * reaches for the global one. Loaded when a service starts: commands start the sooner.
 */
import type { Meter } from '@opentelemetry/api';
import type { Logger } from './telemetry.ts';

export interface Metrics {
  meter: Meter;
  /** In Prometheus' text form. */
  text(): Promise<string>;
  close(): Promise<void>;
}

/** What is asked of the database for a figure; after it the others are shown without. */
const collectTimeoutMs = 5_000;

export async function openMetrics(logger: Logger): Promise<Metrics> {
  const { MeterProvider } = await import('@opentelemetry/sdk-metrics');
  const { PrometheusExporter, PrometheusSerializer } = await import('@opentelemetry/exporter-prometheus');
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const [withoutTargetInfo, withoutScopeInfo] = [true, true];
  const serializer = new PrometheusSerializer('', false, undefined, withoutTargetInfo, withoutScopeInfo);
  return {
    meter: provider.getMeter('longhand'),
    async text() {
      const { resourceMetrics, errors } = await reader.collect({ timeoutMillis: collectTimeoutMs });
      for (const error of errors) logger.warn({ err: error }, 'a figure for /metrics could not be had');
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}

/** Nobody asks: nothing is kept. */
export async function noMetrics(): Promise<Metrics> {
  const { createNoopMeter } = await import('@opentelemetry/api');
  return { meter: createNoopMeter(), text: async () => '', close: async () => {} };
}
