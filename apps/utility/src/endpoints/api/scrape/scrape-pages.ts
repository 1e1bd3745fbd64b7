import type { Address, Call } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import type { UtilityPorts } from '../../../ports.ts'
import type { Input } from './input.ts'
import { scrapePage } from './scrape-page.ts'

/** Pages of one call that are read at a time. */
const CONCURRENT = 3
/** Time for all pages of a call; what is not read by then is a timeout. */
const TOTAL_MS = 35_000

/**
 * Reads several pages; each has its own outcome.
 * @throws ProblemError the first problem, if no page can be read: such a call is not charged.
 */
export async function scrapePages(
  urls: readonly string[],
  call: Call<Input, UtilityPorts, Address>,
  deadline = AbortSignal.timeout(TOTAL_MS),
) {
  const within = { ...call, signal: AbortSignal.any([call.signal, deadline]) }
  const outcomes: Outcome[] = urls.map(() => TIMED_OUT)
  const remaining = [...urls.entries()]
  const work = async () => {
    for (let next = remaining.shift(); next && !deadline.aborted; next = remaining.shift())
      outcomes[next[0]] = await outcomeOf(next[1])
  }
  const outcomeOf = async (url: string): Promise<Outcome> => {
    try {
      return { page: await scrapePage(url, within) }
    } catch (error) {
      call.signal.throwIfAborted()
      if (error instanceof ProblemError) return { error }
      if (deadline.aborted) return TIMED_OUT
      throw error
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  const failed = outcomes.find((outcome) => 'error' in outcome)
  const succeeded = outcomes.filter((outcome) => 'page' in outcome).length
  if (succeeded === 0 && failed) throw failed.error
  const results = outcomes.map((outcome, at) => ({
    url: urls[at] ?? '',
    page: 'page' in outcome ? outcome.page : null,
    problem: 'error' in outcome ? describe(outcome.error) : null,
  }))
  return { results, succeeded, ts: call.now.toISOString() }
}

type Outcome = { readonly page: Awaited<ReturnType<typeof scrapePage>> } | { readonly error: ProblemError }

const TIMED_OUT: Outcome = {
  error: new ProblemError({
    code: 'upstream_timeout',
    detail: 'The page was not read within the time of the call.',
  }),
}

function describe({ problem }: ProblemError) {
  return { code: problem.code, detail: problem.detail }
}
