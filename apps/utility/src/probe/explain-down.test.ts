import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BlockedTarget, type Phase, TooManyFetches, Unreachable } from '@tollbook/flow/failure'
import { explainDown } from './explain-down.ts'

const withCode = (code: string) => Object.assign(new Error('as the system reports it'), { code })
const failed = (phase: Phase, ...causes: readonly string[]) =>
  new Unreachable('it failed', {
    phase,
    // The error of connecting to several addresses.
    cause: causes.length > 1 ? new AggregateError(causes.map(withCode)) : withCode(causes[0] ?? ''),
  })

test('a target is down for the reason that the system reports, also with several addresses', () => {
  const codeOf = (error: Unreachable) => explainDown(error, 'url').code
  assert.equal(codeOf(failed('connect', 'ECONNREFUSED')), 'connection_refused')
  assert.equal(codeOf(failed('connect', 'ENETUNREACH', 'ECONNREFUSED')), 'connection_refused')
  assert.equal(codeOf(failed('connect', 'EHOSTUNREACH')), 'host_unreachable')
  assert.equal(codeOf(failed('connect', 'ETIMEDOUT', 'ENETUNREACH')), 'timeout')
  assert.equal(codeOf(failed('tls', 'ECONNRESET')), 'connection_reset')
  assert.equal(codeOf(failed('tls', 'ERR_SSL_WRONG_VERSION_NUMBER')), 'tls_failed')
  assert.equal(codeOf(failed('answer', 'ERR_HTTP2_STREAM_ERROR')), 'no_answer')
  assert.equal(codeOf(failed('dns', 'ESERVFAIL')), 'dns_failed')
})

test('a failure of this service is not attributed to the target, and is not charged', () => {
  const refusals: readonly (readonly [error: Error, message: RegExp])[] = [
    [failed('connect', 'ENETUNREACH'), /^upstream_failed: This service cannot open a connection/],
    [
      failed('connect', 'ENETUNREACH', 'EADDRNOTAVAIL'),
      /^upstream_failed: This service cannot open a connection/,
    ],
    [failed('connect', 'EMFILE'), /^upstream_failed: This service cannot open a connection/],
    [failed('dns', 'ETIMEOUT'), /^upstream_failed: The name servers of this service/],
    [new Unreachable('late', { phase: 'dns', isLate: true }), /^upstream_failed: The name servers/],
    [new TooManyFetches('no turn'), /^unavailable: /],
    [new BlockedTarget('it is private'), /^invalid_request: /],
  ]
  for (const [error, message] of refusals) assert.throws(() => explainDown(error, 'url'), { message })
})

test('an unexpected error is rethrown unchanged', () => {
  const error = new TypeError('a bug of this program')
  assert.throws(
    () => explainDown(error, 'url'),
    (thrown) => thrown === error,
  )
})
