import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { buyRandomChats } from '../paying/random-chats.ts'

test('clients, ledger and chain agree to the micro-dollar on 2,000 random chats', async (t) => {
  const seed = randomInt(1_000_000)
  const { calls, charged, sum, differences } = await buyRandomChats({ calls: 2_000, seed })
  t.diagnostic(`seed ${seed}: ${calls} calls, ${charged} charged, ${sum} micro-USDC`)
  assert.deepEqual(differences, [])
})
