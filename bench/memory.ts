import { availableParallelism } from 'node:os'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { type Stage, withStage } from './utility/utility-stage.ts'
import { makeWholeCalls, PAGE_PATHS } from './utility/whole-calls.ts'

/** Number of different pages, each processed repeatedly by each endpoint. */
const DIFFERENT_PAGES = 40
const SAMPLES = 50

/**
 * Whether the process retains memory of the pages it processes. The pages pass through its threads one after
 * the other.
 */
export const memory: Benchmark = {
  name: 'memory',
  summary: 'memory of the process over 10,000 pages',
  async run({ isQuick, suites }) {
    const all = isQuick ? 1_000 : 10_000
    const samples: number[] = []
    const statuses: Record<number, number> = {}
    let done = 0
    function* targets({ urlOf }: Stage) {
      for (let at = 0; at < all; at += 1) {
        const path = PAGE_PATHS[at % PAGE_PATHS.length] as string
        yield [path, urlOf(Math.floor(at / PAGE_PATHS.length) % DIFFERENT_PAGES)] as const
      }
    }
    await withStage({ suites, count: DIFFERENT_PAGES }, (stage) =>
      makeWholeCalls(stage.ports, targets(stage), {
        concurrency: 2 * availableParallelism(),
        onCall({ status }) {
          done += 1
          statuses[status] = (statuses[status] ?? 0) + 1
          if (done % (all / SAMPLES) === 0) samples.push(process.memoryUsage.rss())
          if (done % (all / 10) === 0)
            process.stderr.write(`  ${done} pages, ${toMb(samples.at(-1) ?? 0)} MB\n`)
        },
      }),
    )
    // Each sample falls somewhere between two garbage collections, so the samples of a fifth of the run are
    // averaged.
    const fifth = (at: number) => samples.slice((at * SAMPLES) / 5, ((at + 1) * SAMPLES) / 5)
    printFigure({
      bench: 'memory',
      figure: `resident memory in the last fifth of ${all} pages, mean`,
      unit: 'MB',
      value: toMb(meanOf(fifth(4))),
      peer: 'the same process in the second fifth',
      peerValue: toMb(meanOf(fifth(1))),
      setting: {
        from: suites === undefined ? 'generated' : 'WCXB dev',
        pages: DIFFERENT_PAGES,
        endpoints: PAGE_PATHS.length,
        threads: availableParallelism(),
        fifths: [0, 1, 2, 3, 4].map((at) => toMb(meanOf(fifth(at)))).join(' '),
        highestMb: toMb(Math.max(...samples)),
        answers: JSON.stringify(statuses),
      },
    })
  },
}

const toMb = (bytes: number) => Math.round(bytes / 1e6)
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
