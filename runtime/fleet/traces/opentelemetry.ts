/** Traces by OpenTelemetry, sent by OTLP/HTTP; by the variables of its specification ("SDK Environment Variables"). */
import pkg from '../../../package.json' with { type: 'json' };
import { inTime } from '../../base/in-time.ts';
import { type Tracer, traceTo } from './spans.ts';

/** Longest wait for the last spans as the fleet ends. */
const END_MS = 5000;

/** Whether somebody asked for traces. */
export const wantsTraces = (env: NodeJS.ProcessEnv): boolean =>
  [env['OTEL_EXPORTER_OTLP_ENDPOINT'], env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']].some((url) => url) &&
  env['OTEL_SDK_DISABLED']?.toLowerCase() !== 'true' &&
  env['OTEL_TRACES_EXPORTER'] !== 'none';

/** Loads the SDK, and sends spans from now on. Resolves with what ends it: then the last ones are sent, or given up. */
export async function startTraces(): Promise<() => Promise<void>> {
  const [api, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }, sdk, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': 'tillnode-fleet', 'service.version': pkg.version })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const spans = provider.getTracer('tillnode-fleet', pkg.version);
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, internal: api.SpanKind.INTERNAL };
  const trace: Tracer = ({ name, kind, attributes = {}, isRoot = false }, work) =>
    spans.startActiveSpan(name, { kind: kinds[kind], attributes, root: isRoot }, async (span) => {
      try {
        return await work((more) => {
          span.setAttributes(more);
          if (more['http.route'] !== undefined) span.updateName(`${name} ${more['http.route']}`);
          const status = Number(more['http.response.status_code'] ?? 0);
          if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
        });
      } catch (error) {
        // Its message may quote what came in.
        const { code, name: type } = error as { code?: unknown; name?: unknown };
        span.setAttribute('error.type', String(code ?? type ?? 'Error'));
        span.setStatus({ code: api.SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  traceTo(trace);
  return async () => {
    traceTo(undefined);
    await inTime(provider.shutdown(), END_MS).catch(() => {});
    api.context.disable();
  };
}
