import { InvalidAnswer, RetryableError, Unreachable } from '@tollbook/flow/failure'
import { PaymentsDropped } from '../ledger/coverage/coverage.ts'
import type { Evidence } from './evidence.ts'
import { parseEvidenceLine } from './evidence-lines.ts'

/** For the response headers; the payments may take longer. */
const ANSWER_TIMEOUT_MS = 30_000

const BROKEN_OFF = "the indexer's stream of payments ended early"

/** Reads the payments behind reports from the ledger's process. @throws Unreachable if it does not answer. */
export function createRemoteEvidence(url: string): Evidence {
  return {
    async *payments(query, signal) {
      const response = await ask(`${url}/evidence?query=${encodeURIComponent(JSON.stringify(query))}`, signal)
      if (response.status === 410)
        throw new PaymentsDropped("the payments of this window are older than the ledger's retention")
      if (response.status >= 500) {
        await response.body?.cancel()
        throw new RetryableError(`the indexer answered with status ${response.status}`)
      }
      if (!response.ok || !response.body)
        throw new InvalidAnswer(`the indexer answered with status ${response.status}`)
      let rows = 0
      for await (const line of readLines(response.body)) {
        const parsed = parseEvidenceLine(line)
        if ('rows' in parsed) {
          if (parsed.rows === rows) return
          break
        }
        rows++
        yield parsed
      }
      throw new Unreachable(BROKEN_OFF)
    },
  }
}

/** Complete lines; a remainder was cut off. @throws Unreachable when the stream fails. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const piece of body) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw new Unreachable(BROKEN_OFF, { cause: error })
  }
}

async function ask(url: string, signal: AbortSignal): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ANSWER_TIMEOUT_MS)
  try {
    return await fetch(url, { signal: AbortSignal.any([signal, late.signal]), redirect: 'error' })
  } catch (error) {
    signal.throwIfAborted()
    throw new Unreachable('the indexer does not answer', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
