import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { openApiKeys, openBudget } from './ports.ts'

const ADDRESS = { clientAddress: '192.0.2.1' }

test('requests that settle cost their address nothing up to a rate, and one token each beyond it', () => {
  const clock = () => 0
  const limiter = createRateLimiter(3, clock)
  const ports = { apiKeys: null, limiter, settledLimiter: createRateLimiter(5, clock) }
  // Five cost nothing, three more use up the budget.
  for (let request = 0; request < 8; request += 1) openBudget(ports, ADDRESS).giveBack()
  assert.throws(() => openBudget(ports, ADDRESS), ProblemError)
  openBudget(ports, { clientAddress: '192.0.2.2' }).giveBack()
})

test('an API key has no limit', () => {
  const none = createRateLimiter(1, () => 0)
  const ports = { apiKeys: openApiKeys(['a-key-of-16-characters']), limiter: none, settledLimiter: none }
  const authorization = 'Bearer a-key-of-16-characters'
  for (let request = 0; request < 8; request += 1) openBudget(ports, { ...ADDRESS, authorization }).giveBack()
})
