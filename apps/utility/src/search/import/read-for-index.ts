import { PermanentError } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { ReadPage } from './read-index-page.ts'

const module = new URL('./read-index-page.ts', import.meta.url)
type Jobs = typeof import('./read-index-page.ts')
const readHtml = defineJob<Jobs['readIndexPage']>({ module, name: 'readIndexPage', deadlineMs: 30_000 })
const readPlain = defineJob<Jobs['readPlainPage']>({ module, name: 'readPlainPage', deadlineMs: 30_000 })

type Source = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Reads HTML, Markdown or plain text in a worker, in the form of the index.
 * @throws PermanentError for anything else, and for a page without text; ProblemError for one that is too
 * complex.
 */
export async function readForIndex(
  { url, headers, body }: Source,
  { workers, signal }: { readonly workers: WorkerPool; readonly signal: AbortSignal },
): Promise<ReadPage> {
  const contentType = headers['content-type'] ?? ''
  const type = contentType.replace(/;.*$/s, '').trim().toLowerCase()
  let read: ReadPage
  if (type === 'text/html' || type === 'application/xhtml+xml') {
    const done = await workers.run(readHtml, { url, contentType, body }, signal)
    if ('refusal' in done) throw new ProblemError({ code: 'cannot_be_served', detail: done.refusal })
    read = done.result
  } else if (type === 'text/plain' || type === 'text/markdown') {
    read = await workers.run(readPlain, { url, text: new TextDecoder().decode(body) }, signal)
  } else throw new PermanentError(`is ${type === '' ? 'of no content type' : type.slice(0, 100)}, not text`)
  if (read.page.content === '') throw new PermanentError('has no text')
  return read
}
