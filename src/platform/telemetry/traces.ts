/**
 * Spans of what the service does, by OpenTelemetry, sent to the operator's collector over OTLP/HTTP. Contexts are passed
 * on as W3C `traceparent` texts, which can be stored: a job goes on in another process. Loaded only where an endpoint is
 * set.
 */
import type { Attributes, SpanKind } from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import { packageVersion } from '../package-version.ts';

export interface NewSpan {
  /** What it belongs to; a trace of its own without. */
  traceParent?: string | null | undefined;
  kind: keyof typeof SpanKind;
  /** For what is recorded after it happened. */
  startedAtMs?: number;
  /** Ids, counts and names of our own; never what a caller wrote or said. */
  attributes?: Attributes;
}

export interface TraceSpan {
  /** For what belongs below it. */
  readonly traceParent: string;
  end(outcome?: { attributes?: Attributes; isFailure?: boolean }): void;
}

export interface Traces {
  begin(name: string, span: NewSpan): TraceSpan;
  /** Sends what is left. */
  close(): Promise<void>;
}

export interface TracesOptions {
  /** Spans are posted to `/v1/traces` below it. Headers and the like come by the variables that OpenTelemetry defines. */
  endpoint: string;
  role: string;
  clock: Clock;
}

/** More are dropped, oldest kept: a collector that is away costs no more memory than these. */
const spansMax = 2_048;
const sendEveryMs = 2_000;
const sendTimeoutMs = 3_000;

export async function openTraces({ endpoint, role, clock }: TracesOptions): Promise<Traces> {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import('@opentelemetry/api');
  const { parseTraceParent } = await import('@opentelemetry/core');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const { AlwaysOnSampler, BatchSpanProcessor, ParentBasedSampler, TracerProvider } = await import(
    '@opentelemetry/sdk-trace'
  );
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: sendTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'longhand',
      'service.version': packageVersion(),
      'longhand.role': role,
    }),
    // A caller that samples decides for its jobs as well.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: spansMax,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('longhand');
  return {
    begin(name, { traceParent, kind, startedAtMs = clock.now(), attributes = {} }) {
      const parent = traceParent ? parseTraceParent(traceParent) : null;
      const context = parent
        ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
        : ROOT_CONTEXT;
      const options = { kind: SpanKind[kind], startTime: startedAtMs, attributes };
      const span = tracer.startSpan(name, options, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceParent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end({ attributes: more = {}, isFailure = false } = {}) {
          span.setAttributes(more);
          if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
          // What began by the database's clock may end by one that is behind.
          span.end(Math.max(startedAtMs, clock.now()));
        },
      };
    },
    async close() {
      const late = new AbortController();
      const waited = clock.sleep(sendTimeoutMs, late.signal).catch(() => {});
      await Promise.race([provider.shutdown().catch(() => {}), waited]);
      late.abort();
    },
  };
}
