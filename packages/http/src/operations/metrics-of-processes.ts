import cluster, { type Worker } from 'node:cluster'
import { isRecord } from '@tollbook/flow/is-record'
import { AggregatorRegistry, type Registry } from 'prom-client'

/** Messages between the first process and those that share its port. */
type MetricsMessage = { readonly type: 'tollbook:metrics'; readonly id: number; readonly text?: string }

/** A scrape that takes longer has failed at the scraper. */
const MAX_WAIT_MS = 8_000
const waiting = new Map<number, (text: string) => void>()
let requested = 0

/**
 * Connects this process of several that share a port to the first one, which collects their metrics; call it once, as
 * early as possible, since a scrape waits for all processes.
 */
export function joinMetrics(): void {
  new AggregatorRegistry()
  AggregatorRegistry.setRegistries([])
  process.on('message', (message) => {
    if (!isMetricsMessage(message)) return
    waiting.get(message.id)?.(message.text ?? '')
    waiting.delete(message.id)
  })
}

/**
 * Answers the processes that ask for the metrics of all; for the first process, which serves nothing itself.
 * @param nameOf value of the label `process` of all series of a process
 */
export function collectMetrics(nameOf: (worker: Worker) => string): void {
  const all = new AggregatorRegistry()
  cluster.on('message', (worker, message) => {
    if (isNameMessage(message)) worker.send({ ...message, name: nameOf(worker) })
    if (!isMetricsMessage(message)) return
    const answer = (text: string) => {
      if (worker.isConnected()) worker.send({ ...message, text } satisfies MetricsMessage)
    }
    all.clusterMetrics().then(answer, () => answer(''))
  })
}

/** The registry of this process's service is one of those that `/metrics` shows. */
export function shareRegistry(registry: Registry): void {
  if (!cluster.isWorker) return
  process.on('message', (message) => {
    if (isNameMessage(message)) registry.setDefaultLabels({ process: message.name })
  })
  process.send?.({ type: 'tollbook:name' })
  AggregatorRegistry.setRegistries([registry])
}

/**
 * The metrics in Prometheus's text format: of this process, or of all that share its port, with the label `process`.
 * @throws if the processes do not answer in time
 */
export async function renderMetrics(registry: Registry): Promise<string> {
  if (!cluster.isWorker) return registry.metrics()
  const { promise, resolve } = Promise.withResolvers<string>()
  requested += 1
  const id = requested
  const timer = setTimeout(() => resolve(''), MAX_WAIT_MS)
  waiting.set(id, resolve)
  process.send?.({ type: 'tollbook:metrics', id } satisfies MetricsMessage)
  const text = await promise.finally(() => {
    clearTimeout(timer)
    waiting.delete(id)
  })
  if (text === '') throw new Error('the processes did not give their metrics in time')
  return text
}

function isNameMessage(
  message: unknown,
): message is { readonly type: 'tollbook:name'; readonly name: string } {
  return isRecord(message) && message.type === 'tollbook:name'
}

function isMetricsMessage(message: unknown): message is MetricsMessage {
  return isRecord(message) && message.type === 'tollbook:metrics'
}
