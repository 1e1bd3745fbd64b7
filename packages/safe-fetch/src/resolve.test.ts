import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { BlockedTarget, Unreachable } from '@tollbook/flow/failure'
import { type Resolve, resolveChecked } from './resolve.ts'

const { signal } = new AbortController()
const ask = (resolve: Resolve) =>
  resolveChecked('host.example', { rules: { allowPrivateNetwork: false }, resolve, signal })

test('a name with public addresses returns them in order', async () => {
  const addresses: LookupAddress[] = [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]
  assert.deepEqual(await ask(async () => addresses), addresses)
})

test('a rebinding resolver is queried once per connection, and its private answer is refused', async () => {
  const answers = ['93.184.216.34', '127.0.0.1', '93.184.216.34']
  let requested = 0
  const rebinding: Resolve = async () => {
    const address = answers[requested] ?? '127.0.0.1'
    requested += 1
    return [{ address, family: 4 }]
  }
  assert.deepEqual(await ask(rebinding), [{ address: '93.184.216.34', family: 4 }])
  assert.equal(requested, 1)
  await assert.rejects(ask(rebinding), BlockedTarget)
  assert.equal(requested, 2)
})

test('one private address among public ones blocks the name', async () => {
  const mixed: Resolve = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '::ffff:10.0.0.1', family: 6 },
  ]
  await assert.rejects(ask(mixed), BlockedTarget)
})

test('a name without an address is blocked, and so is one with too many', async () => {
  await assert.rejects(
    ask(async () => []),
    BlockedTarget,
  )
  const many = Array.from({ length: 65 }, () => ({ address: '93.184.216.34', family: 4 }))
  await assert.rejects(
    ask(async () => many),
    BlockedTarget,
  )
})

test('a name that cannot be resolved is unreachable', async () => {
  const failing: Resolve = () => Promise.reject(new Error('ENOTFOUND'))
  await assert.rejects(ask(failing), (error) => error instanceof Unreachable && error.phase === 'dns')
})
