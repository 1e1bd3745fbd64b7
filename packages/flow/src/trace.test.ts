import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceContext, runInTrace, toTraceContext, traceHeaders } from './trace.ts'

// The examples of https://www.w3.org/TR/trace-context/#examples-of-http-traceparent-headers
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('a valid traceparent is passed on, with its tracestate', () => {
  for (const flags of ['00', '01']) {
    const traceparent = `00-${TRACE}-${PARENT}-${flags}`
    const headers = { traceparent, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' }
    const context = readTraceContext(new Headers(headers))
    assert.ok(context)
    assert.equal(context.isSampled, flags === '01')
    assert.deepEqual(runInTrace({ context }, traceHeaders), headers)
  }
})

test('of a later version only what is known is read, and sent as version 00', () => {
  const context = readTraceContext(new Headers({ traceparent: `cc-${TRACE}-${PARENT}-03-what-comes` }))
  assert.ok(context)
  assert.deepEqual(runInTrace({ context }, traceHeaders), { traceparent: `00-${TRACE}-${PARENT}-01` })
})

test('an invalid traceparent is ignored, and so is its tracestate', () => {
  for (const traceparent of [
    '',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
  ])
    assert.equal(readTraceContext(new Headers({ traceparent, tracestate: 'a=b' })), null, traceparent)
})

test('a request without a context has the digits of its id, and nothing is sent outside of a trace', () => {
  const context = toTraceContext('6b2f0d1e-1111-4222-8333-000000000001')
  assert.deepEqual(runInTrace({ context }, traceHeaders), {
    traceparent: '00-6b2f0d1e111142228333000000000001-8333000000000001-00',
  })
  assert.deepEqual(traceHeaders(), {})
})
