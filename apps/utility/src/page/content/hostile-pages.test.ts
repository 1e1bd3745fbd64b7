import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { defineJob } from '@tollbook/workers/job'
import { createWorkerPool } from '@tollbook/workers/pool'

const job = defineJob<typeof import('./extract-content.ts').extractContent>({
  module: new URL('./extract-content.ts', import.meta.url),
  name: 'extractContent',
  deadlineMs: 12_000,
})
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const WORDS = '<p>The harbour was built of oak, and nobody knows who paid for it. '

/** The words of a page's content, or why it is refused. */
async function read(html: string): Promise<string> {
  const source = { url: 'https://sea.example/', contentType: 'text/html', body: Buffer.from(html) }
  const formats = { format: 'text', formats: ['text', 'html'], maxChars: 200_000 } as const
  const options = { isMainOnly: true, includeLinks: true, includeImages: true, ...formats }
  try {
    const done = await workers.run(job, { source, options }, new AbortController().signal)
    return 'refusal' in done ? done.refusal : done.result.content
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code
    throw error
  }
}

test('a page of many character references is read within the memory of a worker', async () => {
  for (const reference of ['&', '&lt', '&amp;', '&#65;', '< ']) {
    // 150,000 nodes are allowed; a text and a `<` are one each.
    const times = reference === '< ' ? 70_000 : 1_500_000 / reference.length
    assert.match(await read(`${WORDS}${reference.repeat(times)}`), /^The harbour was built of oak/, reference)
  }
})
