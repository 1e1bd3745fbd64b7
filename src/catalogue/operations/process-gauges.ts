import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** How often the loop is looked at; short enough that a thousandth of the looks is many. */
const RESOLUTION_MS = 20
const MEMORY = 'process_resident_memory_bytes'
const QUANTILES = [0.5, 0.99, 0.999]

/**
 * Adds what a supervisor watches of the process itself: its memory, its age, its processor time, and how late its
 * event loop runs what is due, collections included. The loop is watched from the first scrape on, so that nobody pays for
 * figures that nobody reads.
 */
export function registerProcessGauges(registry: Registry): void {
  // The hosts of a service share its registry.
  if (registry.getSingleMetric(MEMORY)) return
  const registers = [registry]
  let loop: ReturnType<typeof monitorEventLoopDelay> | null = null
  new Gauge({
    name: MEMORY,
    help: 'Memory of the process that is in RAM.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  new Gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory that objects of the main thread take.',
    registers,
    collect() {
      this.set(process.memoryUsage().heapUsed)
    },
  })
  new Gauge({
    name: 'nodejs_external_memory_bytes',
    help: 'Memory that its buffers take.',
    registers,
    collect() {
      this.set(process.memoryUsage().external)
    },
  })
  const startedSeconds = Date.now() / 1000 - process.uptime()
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in epoch seconds.',
    registers,
    collect() {
      this.set(startedSeconds)
    },
  })
  new Gauge({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.set((user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'tollbook_event_loop_delay_seconds',
    help: 'How late the event loop ran what was due, since the first scrape.',
    labelNames: ['quantile'],
    registers,
    collect() {
      if (!loop) {
        loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
        loop.enable()
      }
      for (const quantile of QUANTILES) {
        // The histogram holds the whole time from one look to the next, in nanoseconds.
        const seconds = loop.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000
        this.set({ quantile }, Math.max(0, seconds))
      }
    },
  })
}
