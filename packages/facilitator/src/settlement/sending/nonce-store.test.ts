import assert from 'node:assert/strict'
import { readDatabaseTime } from '@tollbook/store/database-time'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { createNonceStore } from './nonce-store.ts'

const SIGNER = '0x00000000000000000000000000000000000000fa'

onEveryState(
  'a process whose clock is 40 seconds ahead takes over no nonce of a live process',
  async (state, t) => {
    const open = (owner: string) => createNonceStore(state, { signer: SIGNER, owner, leaseMs: 10_000 })
    const first = open('first')
    const nonce = await first.take(7)
    assert.equal(nonce, 7)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 40_000 })
    const ahead = open('ahead')
    assert.deepEqual(await ahead.leaseStale(0), [])
    assert.equal(await first.approve(nonce, '0x01', []), true)
    await first.abandon(await first.take(0))
    assert.deepEqual(
      (await ahead.leaseStale(0)).map((row) => row.nonce),
      [8],
      'an abandoned nonce is taken at once',
    )
  },
)

onEveryState('a transaction is stored until its orders are no longer leased', async (state) => {
  const store = createNonceStore(state, { signer: SIGNER, owner: 'first', leaseMs: 10_000 })
  const nonce = await store.take(7)
  const nowMs = await readDatabaseTime(state)
  assert.equal(await store.approve(nonce, '0x01', [], nowMs), false)
  assert.equal(await store.approve(nonce, '0x01', [], nowMs + 60_000), true)
})

onEveryState(
  'a transaction that is stored again is the same one, and no other replaces it',
  async (state) => {
    const store = createNonceStore(state, { signer: SIGNER, owner: 'first', leaseMs: 10_000 })
    const nonce = await store.take(7)
    assert.equal(await store.approve(nonce, '0x01', []), true)
    assert.equal(await store.approve(nonce, '0x01', []), true)
    assert.equal(await store.approve(nonce, '0x02', []), false)
    assert.equal(await store.replace(nonce, '0x03'), true)
    assert.equal(await store.approve(nonce, '0x01', []), false)
  },
)
