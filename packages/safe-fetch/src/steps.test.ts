import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TooManyFetches, Unreachable } from '@tollbook/flow/failure'
import { makeCertificate } from '@tollbook/testing/servers/certificates'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { serveTcp } from '@tollbook/testing/servers/serve-tcp'
import { serveTls } from '@tollbook/testing/servers/serve-tls'
import type { FetchStep } from './fetched-answer.ts'
import { createSafeFetch } from './safe-fetch.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 60_000 }
const open = createSafeFetch({ allowPrivateNetwork: true, limits: { connectMs: 1_000, headersMs: 1_000 } })

test('each step of a fetch is reported as it happens, including redirects', async (context) => {
  const site = await servePages({ '/': 'end', '/moved': { status: 301, headers: { location: '/' } } })
  context.after(() => site.close())
  const steps: FetchStep[] = []
  const answer = await open(`${site.url}/moved`, { ...LIMITS, onStep: (step) => steps.push(step) })
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ['resolved', 'connected', 'redirected', 'resolved', 'connected'],
  )
  const hops = steps.flatMap((step) => (step.kind === 'redirected' ? [step.hop] : []))
  assert.deepEqual(hops, answer.redirects)
  assert.equal(hops[0]?.location, `${site.url}/`)
})

test('TLS is reported before an answer arrives, with its facts if they are to be reported', async (context) => {
  const certificate = makeCertificate({ name: 'own', hosts: ['127.0.0.1'] })
  const port = await serveTls(context, { certificate, answer: () => {} })
  const steps: FetchStep[] = []
  const fetched = open(`https://127.0.0.1:${port}/`, {
    ...LIMITS,
    certificates: 'report',
    onStep: (step) => steps.push(step),
  })
  await assert.rejects(fetched, (error) => error instanceof Unreachable && error.isLate)
  const secured = steps.find((step) => step.kind === 'secured')
  assert.equal(secured?.tls?.trustError, 'DEPTH_ZERO_SELF_SIGNED_CERT')
  assert.deepEqual(secured?.tls?.certificate?.key, { type: 'ec', bits: 256 })
})

test('timeouts are distinguished from other failures', async (context) => {
  const silent = await serveTcp(context, () => {})
  const isLate = (url: string, timeoutMs: number) =>
    open(url, { ...LIMITS, timeoutMs }).then(
      () => assert.fail('it answered'),
      (error) => error instanceof Unreachable && error.isLate,
    )
  assert.equal(await isLate(`http://${silent}/`, 5_000), true)
  assert.equal(await isLate(`https://${silent}/`, 5_000), true)
  assert.equal(await isLate(`http://${silent}/`, 50), true)
  assert.equal(await isLate('http://127.0.0.1:1/', 60_000), false)
})

test('a request that gets no permit in time is reported as such, because the host was never called', async (context) => {
  const silent = await serveTcp(context, () => {})
  const one = createSafeFetch({ allowPrivateNetwork: true, limits: { perHost: 1 } })
  const started = Promise.withResolvers<void>()
  const end = new AbortController()
  const first = one(`http://${silent}/`, { ...LIMITS, signal: end.signal, onStep: () => started.resolve() })
  await started.promise
  await assert.rejects(one(`http://${silent}/`, { ...LIMITS, timeoutMs: 50 }), TooManyFetches)
  end.abort(new Error('enough'))
  await assert.rejects(first, { message: 'enough' })
})
