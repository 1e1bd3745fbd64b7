import { availableParallelism } from 'node:os'
import { extractMarkup } from '@tollbook/utility/page/content/extract-content'
import type { PageSource } from '@tollbook/utility/page/read-page'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { runAccessibilityContests } from './utility/accessibility-contests.ts'
import { computingContests } from './utility/computing-contests.ts'
import { percentileOf, runContest } from './utility/contest.ts'
import { networkContests } from './utility/network-contests.ts'
import { pageContests } from './utility/page-contests.ts'
import { loadPages, type Pages } from './utility/pages.ts'
import { searchContest } from './utility/search-contest.ts'
import { runStoringContests } from './utility/storing-contests.ts'
import { type Stage, withStage } from './utility/utility-stage.ts'
import { makeWholeCalls, PAGE_PATHS, type WholeCall } from './utility/whole-calls.ts'

/**
 * Speed of the endpoints that fetch pages and of those that compute, each next to the best single library
 * that is installed.
 */
export const utility: Benchmark = {
  name: 'utility',
  summary: 'pages and calls per second of the utility endpoints, against single libraries',
  async run({ isQuick, suites }) {
    const count = isQuick ? 20 : 120
    const pages = await loadPages(suites, count)
    for (const contest of pageContests(pages)) await runContest(contest)
    await runAccessibilityContests(pages)
    await withStage({ suites, count }, async (stage) => {
      const { ports, nameServer } = stage
      const place = { ports, nameServer, url: stage.urlOf(0), calls: isQuick ? 20 : 100 }
      for (const contest of networkContests(place)) await runContest(contest)
      const texts = pages.pages.map(toText)
      for (const contest of computingContests(ports.workers, isQuick ? 20 : 100)) await runContest(contest)
      await runStoringContests(ports, isQuick ? 20 : 100, runContest)
      await runContest(await searchContest({ ports, texts, queries: isQuick ? 20 : 200 }))
      await measureWholeCalls(stage, pages)
    })
  },
}

function toText(source: PageSource): string {
  const options = { isMainOnly: true, mayTakeLong: false, includeLinks: false, includeImages: false }
  const done = extractMarkup({ source, options: { ...options, format: 'text', maxChars: 100_000 } })
  return 'result' in done ? done.result.content : ''
}

async function measureWholeCalls(stage: Stage, { from, pages }: Pages): Promise<void> {
  const concurrency = 2 * availableParallelism()
  for (const path of PAGE_PATHS) {
    const targets = pages.map((_, at) => [path, stage.urlOf(at)] as const)
    // Warm-up: the threads start and compile their code.
    await makeWholeCalls(stage.ports, targets.slice(0, 20), { concurrency })
    const calls: WholeCall[] = []
    const startedMs = performance.now()
    await makeWholeCalls(stage.ports, targets, { concurrency, onCall: (call) => void calls.push(call) })
    const seconds = (performance.now() - startedMs) / 1000
    const ms = calls.map((call) => call.ms)
    printFigure({
      bench: 'utility',
      figure: `${path}, whole calls`,
      unit: 'calls/s',
      value: Number((calls.length / seconds).toPrecision(3)),
      setting: {
        from,
        concurrency,
        threads: availableParallelism(),
        calls: calls.length,
        refused: calls.filter(({ status }) => status !== 200).length,
        p50Ms: percentileOf(ms, 0.5),
        p95Ms: percentileOf(ms, 0.95),
        p99Ms: percentileOf(ms, 0.99),
      },
    })
  }
}
