import { setTimeout as wait } from 'node:timers/promises'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import { ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import { MAX_ROBOTS_BYTES, type RobotsRules } from '@tollbook/safe-fetch/parse-robots'
import { toRobotsRules } from '@tollbook/safe-fetch/robots-rules'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { State } from '../../state/state.ts'
import { findFresh, savePage } from '../pages/page-store.ts'
import { createTally, type ImportCounts, type ImportListener, type ImportOutcome } from './import-counts.ts'
import { readForIndex } from './read-for-index.ts'
import { forbidsIndex } from './read-index-page.ts'

/** The rules of a host, or why they cannot be read: nothing may be fetched then (RFC 9309 section 2.3.1.4). */
type HostRules = { readonly rules: RobotsRules } | { readonly failure: string }

type RobotsReader = (url: string, signal: AbortSignal) => Promise<HostRules>

/** Pause between two requests to one host, unless it demands a longer one. */
const STANDARD_DELAY_MS = 250
/** Maximum pause; longer ones are not waited for. */
const MAX_DELAY_MS = 60_000
const HOSTS_AT_A_TIME = 8
const TRIES = 3
/** Consecutive failures after which a host is skipped. */
const MAX_FAILURES = 10
const MAX_PAGE_BYTES = 5_000_000
const FETCH_TIMEOUT_MS = 30_000
const DAY_MS = 86_400_000
const ACCEPT = 'text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.8'

type Import = ImportListener & {
  readonly state: State
  readonly workers: WorkerPool
  readonly fetch: SafeFetch
  /** Also fetches pages that an import stored within the last day. */
  readonly isAgain: boolean
  readonly delayMs?: number
  readonly now: () => Date
  readonly signal: AbortSignal
}

type Work = Import & { readonly robotsOf: RobotsReader }

const TIMEOUT_MS = 10_000

/**
 * Fetches pages and stores them for searches: one request at a time to each host, with pauses, and nothing
 * that robots.txt or the page itself forbids. An interrupted import resumes when called again.
 */
export async function importUrls(urls: readonly string[], options: Import): Promise<ImportCounts> {
  const { state, isAgain, now, signal } = options
  const tally = createTally(options, urls.length)
  const yesterday = new Date(now().getTime() - DAY_MS)
  const fresh = isAgain ? new Set<string>() : await findFresh(state, urls, yesterday)
  if (fresh.size > 0) tally.add('fresh', fresh.size)
  const byHost = Map.groupBy(
    urls.filter((url) => !fresh.has(url)),
    (url) => new URL(url).host,
  )
  const lines = [...byHost.values()]
  const work = { ...options, robotsOf: createRobotsReader(options.fetch) }
  const takeLines = async () => {
    for (let line = lines.shift(); line; line = lines.shift()) {
      signal.throwIfAborted()
      await importHost(line, work, tally.add)
    }
  }
  await Promise.all(Array.from({ length: HOSTS_AT_A_TIME }, takeLines))
  return tally.counts
}

async function importHost(
  urls: readonly string[],
  work: Work,
  add: (outcome: ImportOutcome, number?: number) => void,
): Promise<void> {
  const { signal, robotsOf, onFailure } = work
  let failures = 0
  for (const [at, url] of urls.entries()) {
    const robots = await robotsOf(url, signal)
    const { pathname, search } = new URL(url)
    if ('rules' in robots && !robots.rules.allows(pathname + search)) {
      add('forbidden')
      continue
    }
    const wishedMs = 'rules' in robots ? robots.rules.crawlDelaySeconds * 1000 : 0
    const delayMs = Math.max(work.delayMs ?? STANDARD_DELAY_MS, wishedMs)
    if (at > 0) await wait(Math.min(delayMs, MAX_DELAY_MS), undefined, { signal })
    try {
      if ('failure' in robots) throw new PermanentError(robots.failure)
      add(await importUrl(url, work))
      failures = 0
    } catch (error) {
      signal.throwIfAborted()
      onFailure(url, explain(error))
      add('failed')
      failures += 1
    }
    const left = urls.length - at - 1
    if (failures < MAX_FAILURES || left === 0) continue
    onFailure(url, `the host failed ${failures} times in a row; its other ${left} pages are skipped`)
    add('failed', left)
    return
  }
}

async function importUrl(url: string, work: Work): Promise<ImportOutcome> {
  const { state, robotsOf, now, signal } = work
  const answer = await fetchPatiently(url, work)
  if (answer.status !== 200) throw new PermanentError(`responded with ${answer.status}`)
  const end = new URL(answer.url)
  const robots = await robotsOf(answer.url, signal)
  const isForbidden = 'failure' in robots || !robots.rules.allows(end.pathname + end.search)
  if (isForbidden || forbidsIndex(answer.headers['x-robots-tag'] ?? '')) return 'forbidden'
  const { page, words, isHidden } = await readForIndex(answer, work)
  if (isHidden) return 'forbidden'
  // Stored under the requested URL, by which the next import finds it.
  await savePage(state, { page: { ...page, url }, words, source: 'imported', now: now() })
  return 'imported'
}

/** Waits as long as the host demands, and retries transient failures. */
async function fetchPatiently(url: string, { fetch, signal }: Work): Promise<FetchedAnswer> {
  const request = { maxBytes: MAX_PAGE_BYTES, timeoutMs: FETCH_TIMEOUT_MS, accept: ACCEPT, signal }
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, request)
    const isBusy = answer.status === 429 || answer.status === 503
    if (!isBusy || tries === TRIES) return answer
    await wait(Math.min(readRetryAfterMs(answer.headers), MAX_DELAY_MS), undefined, { signal })
  }
}

function explain(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.detail
  if (error instanceof PermanentError || error instanceof RetryableError) return error.message
  throw error
}

/** Reads the robots.txt of each origin once. */
function createRobotsReader(fetch: SafeFetch): RobotsReader {
  const known = new Map<string, Promise<HostRules>>()
  return (url, signal) => {
    const { origin } = new URL(url)
    const rules = known.get(origin) ?? readRobots(origin, fetch, signal)
    known.set(origin, rules)
    return rules
  }
}

async function readRobots(origin: string, fetch: SafeFetch, signal: AbortSignal): Promise<HostRules> {
  const request = { maxBytes: MAX_ROBOTS_BYTES, timeoutMs: TIMEOUT_MS, accept: 'text/plain', signal }
  try {
    return { rules: toRobotsRules(await fetch(`${origin}/robots.txt`, request)) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PermanentError || error instanceof RetryableError)
      return { failure: `robots.txt cannot be read: ${error.message}` }
    throw error
  }
}
