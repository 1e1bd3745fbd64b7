import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { createBelongings } from './belongings.ts'
import type { Errand } from './errands.ts'

const payers = ['0x01', '0x02', '0x03'].map((address) => ({ address }) as Payer)
/** Random draws that choose a wallet that has something, and the first such wallet. */
const owner = () => 0

const call = (endpointId: string): Errand => ({
  service: 'utility',
  endpointId,
  scheme: 'exact',
  weight: 1,
  request: (given = {}) => ({ method: 'GET', path: `/${given.id ?? 'example'}`, init: {} }),
})

test('calls of a wallet name a row that it appended until it deletes the row', () => {
  const belongings = createBelongings(payers)
  const last = () => 0.99
  const appended = belongings.assign(call('store.append'), last)
  assert.equal(appended.payer, payers[2])
  appended.errand.onAnswer?.('{"ids":[7,8]}')
  const read = belongings.assign(call('store.row.get'), owner)
  assert.deepEqual([read.payer, read.errand.request().path], [payers[2], '/8'])
  const [first, second, third] = [1, 2, 3].map(() => belongings.assign(call('store.row.delete'), owner))
  assert.deepEqual([first?.errand.request().path, second?.errand.request().path], ['/8', '/7'])
  // Nobody has a row any more: calls request the one of the example.
  assert.deepEqual([third?.payer, third?.errand.request().path], [payers[0], '/example'])
})

test('a pad is usually, but not always, requested by the wallet that wrote it', () => {
  const belongings = createBelongings(payers)
  belongings.assign(call('scratchpad.put'), () => 0.5).errand.onAnswer?.('{}')
  assert.equal(belongings.assign(call('scratchpad.get'), owner).payer, payers[1])
  // 0.95 is above the nine tenths that use existing items; three wallets are drawn from.
  assert.equal(belongings.assign(call('scratchpad.get'), () => 0.95).payer, payers[2])
  assert.equal(belongings.assign(call('scratchpad.delete'), owner).payer, payers[1])
  assert.equal(belongings.assign(call('scratchpad.get'), owner).payer, payers[0])
})

test('a refused call adds nothing to a wallet', () => {
  const belongings = createBelongings(payers)
  belongings.assign(call('store.append'), () => 0.5)
  assert.equal(belongings.assign(call('store.row.get'), owner).payer, payers[0])
})
