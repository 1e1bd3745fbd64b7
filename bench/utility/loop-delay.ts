import { PerformanceObserver } from 'node:perf_hooks'
import { percentileOf } from './contest.ts'

type Percentiles = {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly worstMs: number
}

export type LoopDelay = {
  readonly turns: number
  /** How late a timer ran, minus the time of garbage collection. */
  readonly late: Percentiles
  /** Processor time of the thread between two runs of the timer, minus the time of garbage collection. */
  readonly own: Percentiles
  /** Garbage collection pauses of this thread. */
  readonly collectionMs: number
  readonly maxCollectionMs: number
}

type Span = { readonly startMs: number; readonly endMs: number }

/** As often as timers allow. */
const EVERY_MS = 1

/** Measures with a timer how long the loop of this thread is blocked; `stop` returns the results. */
export function watchLoop(): { stop(): Promise<LoopDelay> } {
  const turns: Turn[] = []
  const collections: Span[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ startMs: startTime, endMs: startTime + duration })
  })
  observer.observe({ entryTypes: ['gc'] })
  let isOver = false
  let beganMs = performance.now()
  let cpu = process.threadCpuUsage()
  const tick = () => {
    const nowMs = performance.now()
    const used = process.threadCpuUsage(cpu)
    turns.push({ beganMs, endMs: nowMs, cpuMs: (used.user + used.system) / 1000 })
    beganMs = nowMs
    cpu = process.threadCpuUsage()
    if (!isOver) setTimeout(tick, EVERY_MS)
  }
  setTimeout(tick, EVERY_MS)
  return {
    async stop() {
      isOver = true
      // Entries about garbage collection also arrive through the loop.
      await new Promise((resolve) => setTimeout(resolve, 50))
      observer.disconnect()
      return describe(turns, collections)
    },
  }
}

type Turn = { readonly beganMs: number; readonly endMs: number; readonly cpuMs: number }

function describe(turns: readonly Turn[], collections: readonly Span[]): LoopDelay {
  const pauses = collections.map(({ startMs, endMs }) => endMs - startMs)
  const late = turns.map(({ beganMs, endMs }) => {
    const dueMs = Math.min(beganMs + EVERY_MS, endMs)
    return endMs - dueMs - overlapWith({ startMs: dueMs, endMs }, collections)
  })
  const own = turns.map(({ beganMs, endMs, cpuMs }) =>
    Math.max(0, cpuMs - overlapWith({ startMs: beganMs, endMs }, collections)),
  )
  return {
    turns: turns.length,
    late: toPercentiles(late),
    own: toPercentiles(own),
    collectionMs: Math.round(pauses.reduce((sum, pause) => sum + pause, 0)),
    maxCollectionMs: percentileOf(pauses, 1),
  }
}

function toPercentiles(ms: readonly number[]): Percentiles {
  const [p50Ms = 0, p99Ms = 0, p999Ms = 0, worstMs = 0] = [0.5, 0.99, 0.999, 1].map((share) =>
    percentileOf(ms, share),
  )
  return { p50Ms, p99Ms, p999Ms, worstMs }
}

function overlapWith(span: Span, collections: readonly Span[]): number {
  return collections.reduce((sum, { startMs, endMs }) => {
    const shared = Math.min(span.endMs, endMs) - Math.max(span.startMs, startMs)
    return sum + Math.max(0, shared)
  }, 0)
}
