import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { createCheckedLookup, type Resolve } from './checked-lookup.ts'
import { BlockedTarget } from './failure.ts'

type Answered = string | readonly LookupAddress[]

/** Asks as a socket does. */
function ask(resolve: Resolve, all: boolean): Promise<Answered> {
  const lookup = createCheckedLookup({ allowPrivateNetwork: false }, resolve)
  return new Promise((answered, reject) => {
    lookup('host.example', { all }, (error, address) => (error ? reject(error) : answered(address)))
  })
}

test('the addresses that were checked are the very ones handed to the socket', async () => {
  const addresses: LookupAddress[] = [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]
  assert.deepEqual(await ask(async () => addresses, true), addresses)
  assert.equal(await ask(async () => addresses, false), '93.184.216.34')
})

test('a resolver that rebinds is asked once a connection, and its private answer is refused', async () => {
  const answers = ['93.184.216.34', '127.0.0.1', '93.184.216.34']
  let asked = 0
  const rebinding: Resolve = async () => {
    const address = answers[asked] ?? '127.0.0.1'
    asked += 1
    return [{ address, family: 4 }]
  }
  assert.equal(await ask(rebinding, false), '93.184.216.34')
  assert.equal(asked, 1)
  await assert.rejects(ask(rebinding, false), BlockedTarget)
  assert.equal(asked, 2)
})

test('one private address among public ones refuses the name', async () => {
  const mixed: Resolve = async () => [
    { address: '93.184.216.34', family: 4 },
    { address: '::ffff:10.0.0.1', family: 6 },
  ]
  await assert.rejects(ask(mixed, true), BlockedTarget)
})

test('a name without an address is refused', async () => {
  await assert.rejects(
    ask(async () => [], true),
    BlockedTarget,
  )
})
