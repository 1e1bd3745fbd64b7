import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import { addGauge } from './gauges.ts'

/** Sampling interval of the loop; short enough that a thousandth of the samples is many. */
const RESOLUTION_MS = 20
const MEMORY = 'process_resident_memory_bytes'
const QUANTILES = [0.5, 0.99, 0.999]

/**
 * Adds the gauges that a supervisor watches: memory, age, processor time, and the event loop delay, including
 * garbage collection. The loop is sampled from the first scrape on, so that it costs nothing if nobody
 * scrapes.
 */
export function registerProcessGauges(registry: Registry): void {
  // The hosts of a service share its registry.
  if (registry.getSingleMetric(MEMORY)) return
  let loop: ReturnType<typeof monitorEventLoopDelay> | null = null
  const startedSeconds = Date.now() / 1000 - process.uptime()
  addGauge(registry, MEMORY, 'Resident memory of the process.', async () => process.memoryUsage.rss())
  addGauge(
    registry,
    'nodejs_heap_size_used_bytes',
    'Memory used by JavaScript objects of the main thread.',
    async () => process.memoryUsage().heapUsed,
  )
  addGauge(
    registry,
    'nodejs_external_memory_bytes',
    'Memory used by its buffers.',
    async () => process.memoryUsage().external,
  )
  addGauge(
    registry,
    'process_start_time_seconds',
    'Start time of the process, in epoch seconds.',
    async () => startedSeconds,
  )
  addGauge(registry, 'process_cpu_seconds_total', 'Processor time used by the process.', async () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  new Gauge({
    name: 'tollbook_event_loop_delay_seconds',
    help: 'Event loop delay since the first scrape.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      if (!loop) {
        loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
        loop.enable()
      }
      for (const quantile of QUANTILES) {
        // The histogram records the full interval between samples, in nanoseconds.
        const seconds = loop.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000
        this.set({ quantile }, Math.max(0, seconds))
      }
    },
  })
}
