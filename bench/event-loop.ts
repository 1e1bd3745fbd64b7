import { availableParallelism } from 'node:os'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { type LoopDelay, watchLoop } from './utility/loop-delay.ts'
import { watchSpinning } from './utility/spinning-loop.ts'
import { withStage } from './utility/utility-stage.ts'
import { makeWholeCalls, PAGE_PATHS, type WholeCall } from './utility/whole-calls.ts'
import { writeWorstPages } from './utility/worst-pages.ts'

/**
 * How long the worst pages block the event loop for other calls. Meanwhile the threads use every core, so
 * even an idle loop waits for a core. That delay is measured first, with threads that only spin.
 */
export const eventLoop: Benchmark = {
  name: 'event-loop',
  summary: 'delay of the event loop while the worst pages are processed',
  async run({ isQuick }) {
    const idle = await watchSpinning(isQuick ? 2_000 : 10_000)
    const names = Object.keys(writeWorstPages())
    const calls: NamedCall[] = []
    await withStage({ worst: true }, async ({ ports, urlOf }) => {
      const ask = (at: number, onCall: (call: WholeCall) => void) =>
        makeWholeCalls(
          ports,
          PAGE_PATHS.map((path) => [path, urlOf(at)] as const),
          { concurrency: 2 * availableParallelism(), onCall },
        )
      // Warm-up: the threads start and the loop compiles its code.
      await ask(1, () => {})
      const watch = watchLoop()
      for (let round = 0; round < (isQuick ? 1 : 2); round += 1)
        for (const [at, name] of names.entries()) await ask(at, (call) => void calls.push({ ...call, name }))
      print(await watch.stop(), idle, calls)
    })
  },
}

type NamedCall = WholeCall & { readonly name: string }

function print(
  delay: LoopDelay,
  idle: LoopDelay,
  calls: readonly (WholeCall & { readonly name: string })[],
): void {
  const slowest = calls.reduce((one, other) => (other.ms > one.ms ? other : one))
  const statuses = Object.fromEntries(
    [...Map.groupBy(calls, ({ status }) => status)].map(([status, group]) => [status, group.length]),
  )
  const common = {
    bench: 'event-loop',
    unit: 'ms',
    peer: 'a loop with nothing to do, as many threads spinning',
  }
  printFigure({
    ...common,
    figure: 'delay of the loop under the worst pages, p99.9, collection apart',
    value: delay.late.p999Ms,
    peerValue: idle.late.p999Ms,
    setting: {
      ...delay.late,
      peerP99Ms: idle.late.p99Ms,
      peerWorstMs: idle.late.worstMs,
      turns: delay.turns,
      threads: availableParallelism(),
      collectionMs: delay.collectionMs,
      maxCollectionMs: delay.maxCollectionMs,
      calls: calls.length,
      answers: JSON.stringify(statuses),
      slowest: `${slowest.path}, ${slowest.name}: ${slowest.status} after ${Math.round(slowest.ms)} ms`,
    },
  })
  // Other work on the machine affects the delay, but not this figure.
  printFigure({
    ...common,
    figure: 'processor time of a turn of the loop under the worst pages, p99.9, collection apart',
    value: delay.own.p999Ms,
    peerValue: idle.own.p999Ms,
    setting: { ...delay.own },
  })
}
