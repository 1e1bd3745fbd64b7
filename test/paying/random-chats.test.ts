import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buyRandomChats } from './random-chats.ts'

// 2,000 of them are bought by `npm run operations`.
test('clients, ledger and chain agree to the micro-dollar on 60 random chats', async () => {
  const { differences, charged } = await buyRandomChats({ calls: 60, seed: 7 })
  assert.deepEqual(differences, [])
  assert.ok(charged > 20)
})
