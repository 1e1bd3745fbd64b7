import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '../problem.ts'
import { ProblemError } from '../problem.ts'
import { renderProblem, toProblem } from './problem-document.ts'
import { toResponse } from './reply.ts'

const responseOf = (...given: Parameters<typeof renderProblem>) => toResponse(renderProblem(...given))

const baseUrl = 'https://test.example'
const problem: Problem = {
  code: 'too_large',
  detail: 'The body may have at most 10 bytes.',
  faults: [{ parameter: 'body', detail: 'is too long' }],
  members: { limit_bytes: 10 },
  retryAfterSeconds: 3,
  headers: { 'x-should-retry': 'false' },
}

test('a problem is an RFC 9457 document with its code, faults and own members', async () => {
  const response = responseOf(problem, { baseUrl, requestId: 'r1' })
  assert.equal(response.status, 413)
  assert.equal(response.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(response.headers.get('retry-after'), '3')
  assert.equal(response.headers.get('x-should-retry'), 'false')
  assert.deepEqual(await response.json(), {
    type: 'https://test.example/problems#too_large',
    title: 'The request is too large',
    status: 413,
    detail: 'The body may have at most 10 bytes.',
    code: 'too_large',
    request_id: 'r1',
    faults: [{ parameter: 'body', detail: 'is too long' }],
    limit_bytes: 10,
  })
})

test('the chat dialect wraps it in the envelope that its clients read', async () => {
  const response = responseOf(problem, { baseUrl, dialect: 'chat' })
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  const { error } = (await response.json()) as { error: unknown }
  assert.deepEqual(error, {
    message: 'The body may have at most 10 bytes.',
    type: 'invalid_request_error',
    param: 'body',
    code: 'too_large',
  })
})

test('the messages dialect names its error types by status', async () => {
  const cases = [
    ['invalid_request', 'invalid_request_error'],
    ['payment_required', 'billing_error'],
    ['too_large', 'request_too_large'],
    ['rate_limited', 'rate_limit_error'],
    ['unavailable', 'overloaded_error'],
    ['upstream_timeout', 'timeout_error'],
    ['internal', 'api_error'],
  ] as const
  for (const [code, type] of cases) {
    const response = responseOf({ code, detail: 'Words.' }, { baseUrl, dialect: 'messages', requestId: 'r1' })
    const body = (await response.json()) as Record<string, unknown>
    assert.deepEqual([body.type, body.error, body.request_id], ['error', { type, message: 'Words.' }, 'r1'])
  }
})

test('an unexpected error reveals nothing about itself', () => {
  assert.equal(toProblem(new ProblemError(problem)), problem)
  for (const thrown of [new Error('at /home/x with key 0xabc'), 'text', null]) {
    const { code, detail, ...others } = toProblem(thrown)
    assert.equal(code, 'internal')
    assert.doesNotMatch(detail, /home|key|text/)
    assert.deepEqual(others, {})
  }
})
