import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { runInTrace, toTraceContext } from '@tollbook/flow/trace'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import * as z from 'zod'
import { askUpstream, askUpstreamJson } from './ask-upstream.ts'

const NEVER = new AbortController().signal
const fetch = createSafeFetch({ allowPrivateNetwork: true })

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?key=secret`
}

const requestTo = (url: string) =>
  ({ method: 'GET', url, maxBytes: 1_000, timeoutMs: 30_000, name: 'search upstream' }) as const
const problemOf = async (requested: Promise<unknown>) => {
  const error = await requested.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ProblemError, String(error))
  assert.doesNotMatch(JSON.stringify(error.problem), /secret|127\.0\.0\.1|words of the upstream/)
  const { code, detail, retryAfterSeconds } = error.problem
  return { code, detail, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}

for (const [status, headers, problem] of [
  [500, {}, { code: 'upstream_failed', detail: 'The search upstream answered 500.' }],
  [201, {}, { code: 'upstream_failed', detail: 'The search upstream answered 201.' }],
  [302, { location: '/next' }, { code: 'upstream_failed', detail: 'The search upstream answered 302.' }],
  [
    429,
    { 'retry-after': '7' },
    {
      code: 'unavailable',
      detail: 'The search upstream accepts no more requests for now.',
      retryAfterSeconds: 7,
    },
  ],
] as const)
  test(`an answer ${status} of an upstream becomes ${problem.code}, without its text and address`, async (context) => {
    const paths: (string | undefined)[] = []
    const url = await serve(context, ({ url: path }, response) => {
      paths.push(path)
      response.writeHead(status, headers).end('words of the upstream')
    })
    assert.deepEqual(await problemOf(askUpstream(fetch, requestTo(url), NEVER)), problem)
    // No redirect is followed: it would send the key elsewhere.
    assert.deepEqual(paths, ['/v1?key=secret'])
  })

test('a request that the upstream rejects becomes the problem that the caller chose', async (context) => {
  const url = await serve(context, (_, response) => response.writeHead(422).end())
  const refusal = { code: 'cannot_be_served', detail: 'The text is too long.' } as const
  const findRefusal = ({ status }: { readonly status: number }) => (status === 422 ? refusal : null)
  assert.deepEqual(await problemOf(askUpstream(fetch, { ...requestTo(url), findRefusal }, NEVER)), refusal)
})

test('an upstream receives the trace of the call', async (context) => {
  const received: unknown[] = []
  const url = await serve(context, ({ headers }, response) => {
    received.push(headers.traceparent)
    response.end('{}')
  })
  const trace = toTraceContext('6b2f0d1e-1111-4222-8333-000000000001')
  await runInTrace({ context: trace }, () => askUpstream(fetch, requestTo(url), NEVER))
  await askUpstream(fetch, requestTo(url), NEVER)
  assert.deepEqual(received, ['00-6b2f0d1e111142228333000000000001-8333000000000001-00', undefined])
})

test('a timeout of the upstream and a refused connection are distinguished', async (context) => {
  const url = await serve(context, () => {})
  const late = askUpstream(fetch, { ...requestTo(url), timeoutMs: 50 }, NEVER)
  assert.equal((await problemOf(late)).code, 'upstream_timeout')
  const absent = askUpstream(fetch, requestTo('http://127.0.0.1:1/?key=secret'), NEVER)
  assert.equal((await problemOf(absent)).code, 'upstream_failed')
})

test('a caller who disconnects gets the reason of its own signal', async (context) => {
  const caller = new AbortController()
  const url = await serve(context, () => caller.abort('gone'))
  await assert.rejects(askUpstream(fetch, requestTo(url), caller.signal), (reason) => reason === 'gone')
})

test('JSON of another form is upstream_failed', async (context) => {
  const answers = ['{"results":["a"]}', '{"results":"a"}', 'no JSON']
  const url = await serve(context, (_, response) => response.end(answers.shift()))
  const schema = z.object({ results: z.array(z.string()) })
  const ask = () => askUpstreamJson(fetch, { ...requestTo(url), schema, expected: 'search results' }, NEVER)
  assert.deepEqual(await ask(), { results: ['a'] })
  const detail = 'The search upstream answered with something other than search results.'
  assert.deepEqual(await problemOf(ask()), { code: 'upstream_failed', detail })
  assert.equal((await problemOf(ask())).code, 'upstream_failed')
})
