import { serve } from '@hono/node-server'
import { createReportApp } from '@tollbook/report/service'
import { Hono } from 'hono'
import { pino } from 'pino'
import { type Served, serveMeasured } from './measured.ts'
import { openPublishedSample, reportPath, SERVED_MERCHANTS } from './published-sample.ts'

type Answer = {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly freshHeaders: Readonly<Record<string, string>>
}

await serveMeasured(serveBare)

/**
 * A bare Hono route that serves the same bytes, header and body, under the same paths from a map in memory.
 */
async function serveBare(): Promise<Served> {
  const answers = await copyAnswers()
  const app = new Hono()
  app.get('/merchants/base/:file', (context) => {
    const answer = answers.get(context.req.param('file'))
    if (answer === undefined) return context.notFound()
    if (context.req.header('if-none-match') !== undefined) return context.body(null, 304, answer.freshHeaders)
    return context.body(answer.body, 200, answer.headers)
  })
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const close = () => new Promise<void>((done) => server.close(() => done()))
      resolve({ url: `http://127.0.0.1:${port}`, close })
    })
  })
}

/** The answers of the report service, in full and as 304, by the last path segment. */
async function copyAnswers(): Promise<ReadonlyMap<string, Answer>> {
  const state = await openPublishedSample('sqlite::memory:')
  const app = createReportApp({
    state,
    logger: pino({ level: 'silent' }),
    publishSeconds: 600,
    baseUrl: 'https://tollbook.example',
    evidence: { async *payments() {} },
  })
  const answers = new Map<string, Answer>()
  for (let index = 0; index < SERVED_MERCHANTS; index += 1) {
    const path = reportPath(index)
    const whole = await app.request(path)
    const fresh = await app.request(path, { headers: { 'if-none-match': '*' } })
    answers.set(path.slice(path.lastIndexOf('/') + 1), {
      body: await whole.text(),
      headers: Object.fromEntries(whole.headers),
      freshHeaders: Object.fromEntries(fresh.headers),
    })
  }
  await state.close()
  return answers
}
