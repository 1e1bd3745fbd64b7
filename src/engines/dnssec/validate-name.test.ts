import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DnsRecord, TYPES } from './message.ts'
import { validateType } from './validate-name.ts'

test('of an answer with hundreds of proofs, few are compared and verified', async () => {
  const nowSeconds = 1_800_000_000
  const key = { tag: 1, algorithm: 13, flags: 0x0100, data: Buffer.from([1, 0, 3, 13, ...Array(64).fill(1)]) }
  const head = Buffer.alloc(18)
  head.writeUInt16BE(TYPES.NSEC, 0)
  head.writeUInt8(key.algorithm, 2)
  head.writeUInt32BE(nowSeconds + 1, 8)
  head.writeUInt32BE(nowSeconds - 1, 12)
  head.writeUInt16BE(key.tag, 16)
  const authorities = Array.from({ length: 250 }, (_, at): DnsRecord[] => [
    { owner: [`n${at}`], type: TYPES.NSEC, ttl: 1, data: Buffer.from([0, 0, 1, 2]) },
    { owner: [`n${at}`], type: TYPES.RRSIG, ttl: 1, data: Buffer.concat([head, Buffer.alloc(65)]) },
  ]).flat()
  const budget = { verifications: 100 }
  const question = { name: ['a'], type: TYPES.A }
  const answer = { id: 1, rcode: 0, isTruncated: false, question, answers: [], authorities }
  const walk = { chain: [], zone: { name: [], keys: [key] } }
  const options = { ask: async () => answer, anchors: [], nowSeconds, budget }
  assert.equal((await validateType({ ...question, walk }, options)).state, 'bogus')
  assert.equal(budget.verifications, 92)
})
