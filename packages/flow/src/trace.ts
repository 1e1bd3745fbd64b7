import { AsyncLocalStorage } from 'node:async_hooks'

/** A position in a trace (W3C Trace Context, https://www.w3.org/TR/trace-context/). */
export type TraceContext = {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** The `tracestate` of other systems, passed on unchanged. */
  readonly state?: string | undefined
}

export type SpanOptions = {
  readonly kind?: 'server' | 'client' | 'internal'
  readonly attributes?: Readonly<Record<string, string | number>>
}

/** A piece of work that is timed. */
export interface Span {
  readonly context: TraceContext
  set(name: string, value: string | number): void
  end(hasFailed: boolean): void
}

/** Records spans and exports them. */
export interface Tracer {
  /** @param parent null begins a trace. */
  start(name: string, parent: TraceContext | null, options?: SpanOptions): Span
  /** Exports what was recorded. */
  close(): Promise<void>
}

/** The trace that work belongs to; without a tracer its context is only passed on. */
export type Trace = { readonly context: TraceContext; readonly tracer?: Tracer | undefined }

const traces = new AsyncLocalStorage<Trace>()

/** Runs work, and everything that it awaits, as a part of a trace. */
export function runInTrace<Result>(trace: Trace, work: () => Result): Result {
  return traces.run(trace, work)
}

/** The trace that the current work belongs to. */
export function currentTrace(): Trace | undefined {
  return traces.getStore()
}

/** Binds work to the current trace, so that it runs in that trace even if it is called later, as at the end of a stream. */
export function keepTrace<Given, Result>(work: (given: Given) => Result): (given: Given) => Result {
  const trace = traces.getStore()
  return trace ? (given) => traces.run(trace, work, given) : work
}

/** Runs work as a span of the current trace. Without a tracer it only calls the work. */
export function inStep<Result>(
  name: string,
  work: (span?: Span) => Promise<Result>,
  options?: SpanOptions,
): Promise<Result> {
  const trace = traces.getStore()
  if (!trace?.tracer) return work()
  return record(trace.tracer.start(name, trace.context, options), trace.tracer, work)
}

/** Runs work as a trace of its own. */
export function inTrace<Result>(
  tracer: Tracer | undefined,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracer ? record(tracer.start(name, null), tracer, work) : work()
}

async function record<Result>(
  span: Span,
  tracer: Tracer,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  let hasFailed = true
  try {
    const result = await traces.run({ context: span.context, tracer }, () => work(span))
    hasFailed = false
    return result
  } finally {
    span.end(hasFailed)
  }
}

/** Version, trace-id, parent-id, flags; a later version may have more (section 3.2.2). */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** Section 3.3.1.5: longer ones need not be passed on. */
const MAX_STATE = 512

/** The context that a request brings; null if it brings none, or an invalid one. */
export function readTraceContext(headers: Pick<Headers, 'get'>): TraceContext | null {
  const text = headers.get('traceparent')
  if (text === null) return null
  const [, version, traceId, spanId, flags = '', rest] = TRACEPARENT.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return null
  const state = headers.get('tracestate') ?? ''
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, isSampled, ...(state !== '' && state.length <= MAX_STATE && { state }) }
}

/** The context of a request that brings none and is not recorded. @param requestId a random UUID. */
export function toTraceContext(requestId: string): TraceContext {
  const traceId = requestId.replaceAll('-', '')
  return { traceId, spanId: traceId.slice(16), isSampled: false }
}

/** Headers that pass the current trace on to an upstream; empty outside of one. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const context = traces.getStore()?.context
  if (!context) return {}
  const { traceId, spanId, isSampled, state } = context
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  return state === undefined ? { traceparent } : { traceparent, tracestate: state }
}
