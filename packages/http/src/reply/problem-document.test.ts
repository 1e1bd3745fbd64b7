import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { renderProblem, toProblem } from './problem-document.ts'

test('while the database is away, a call is 503 with Retry-After, and not to be paid for a second time', () => {
  const error = new DatabaseAway('secret host')
  const { status, headers, body } = renderProblem(toProblem(error), { baseUrl: 'http://127.0.0.1' })
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '2')
  assert.equal(headers['x-should-retry'], 'false')
  assert.equal(JSON.parse(String(body)).code, 'unavailable')
  assert.doesNotMatch(String(body), /secret/)
})

test('until 2.0 the issues of a problem have the name of version 1.0, too', () => {
  const issues = [{ parameter: 'text', detail: 'is required' }]
  const problem = { code: 'invalid_request', detail: 'text is required.', issues } as const
  const { body } = renderProblem(problem, { baseUrl: 'http://127.0.0.1' })
  const document = JSON.parse(String(body))
  assert.deepEqual([document.issues, document.faults], [issues, issues])
})
