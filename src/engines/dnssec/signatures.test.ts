import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeQuery, parseMessage, TYPES } from './message.ts'
import { encodeName, parseName, renderName } from './name.ts'
import { matchesDelegation, parseKey, verifyRecords } from './signatures.ts'
import { parseAnchor } from './validate-name.ts'

type Vector = {
  readonly zone: string
  readonly owner: string
  readonly type: keyof typeof TYPES
  readonly data: Buffer
  readonly algorithm: number
  readonly key: string
  readonly ds: string
  readonly times: readonly [expiration: number, inception: number]
  readonly signature: string
}

const seconds = (text: string) => Date.parse(text) / 1000
const ADDRESS = {
  zone: 'example.net',
  owner: 'www.example.net',
  type: 'A',
  data: Buffer.of(192, 0, 2, 1),
} as const
const MAIL = { zone: 'example.com', owner: 'example.com', type: 'MX' } as const
const VECTORS: Readonly<Record<string, Vector>> = {
  'RFC 6605 section 6.1': {
    ...ADDRESS,
    algorithm: 13,
    key: 'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
    ds: '55648 13 2 b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
    times: [seconds('2010-09-09T10:04:39Z'), seconds('2010-08-12T10:04:39Z')],
    signature: 'qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw==',
  },
  'RFC 6605 section 6.2': {
    ...ADDRESS,
    algorithm: 14,
    key: 'xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
    ds: '10771 14 4 72d7b62976ce06438e9c0bf319013cf801f09ecc84b8d7e9495f27e305c6a9b0563a9b5f4d288405c3008a946df983d6',
    times: [seconds('2010-09-09T10:20:25Z'), seconds('2010-08-12T10:20:25Z')],
    signature:
      '/L5hDKIvGDyI1fcARX3z65qrmPsVz73QD1Mr5CEqOiLP95hxQouuroGCeZOvzFaxsT8Glr74hbavRKayJNuydCuzWTSSPdz7wnqXL5bdcJzusdnI0RSMROxxwGipWcJm',
  },
  'RFC 8080 section 6.1, erratum 4935': {
    ...MAIL,
    data: Buffer.concat([Buffer.of(0, 10), encodeName(['mail', 'example', 'com'])]),
    algorithm: 15,
    key: 'l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
    ds: '3613 15 2 3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
    times: [1_440_021_600, 1_438_207_200],
    signature: 'oL9krJun7xfBOIWcGHi7mag5/hdZrKWw15jPGrHpjQeRAvTdszaPD+QLs3fx8A4M3e23mRZ9VrbpMngwcrqNAg==',
  },
}

function check(
  vector: Vector,
  { nowSeconds = vector.times[1] + 1, verifications = 9, data = vector.data } = {},
) {
  const [zone, owner] = [parseName(vector.zone), parseName(vector.owner)]
  const head = Buffer.alloc(18)
  head.writeUInt16BE(TYPES[vector.type], 0)
  head.set([vector.algorithm, owner.length, 0, 0, 3600 >> 8, 3600 & 255], 2)
  head.writeUInt32BE(vector.times[0], 8)
  head.writeUInt32BE(vector.times[1], 12)
  const anchor = parseAnchor(vector.ds)
  head.writeUInt16BE(anchor.tag, 16)
  const rrsig = Buffer.concat([head, encodeName(zone), Buffer.from(vector.signature, 'base64')])
  const key = parseKey({
    owner: zone,
    type: TYPES.DNSKEY,
    ttl: 3600,
    data: Buffer.concat([Buffer.of(1, 1, 3, vector.algorithm), Buffer.from(vector.key, 'base64')]),
  })
  const type = TYPES[vector.type]
  const verdict = verifyRecords(
    { owner, type, records: [{ owner, type, ttl: 60, data }] },
    {
      zone,
      keys: [key],
      signatures: [{ owner, type: TYPES.RRSIG, ttl: 60, data: rrsig }],
      nowSeconds,
      budget: { verifications },
    },
  )
  return { verdict, isDelegated: matchesDelegation(key, anchor, zone), anchor }
}

test('keys, digests and signatures of the examples in RFC 6605 and RFC 8080 are valid', () => {
  for (const [name, vector] of Object.entries(VECTORS)) {
    const { verdict, isDelegated, anchor } = check(vector)
    const labels = vector.owner.split('.').length
    assert.deepEqual(verdict, { isValid: true, labels, tag: anchor.tag }, name)
    assert.equal(isDelegated, true, name)
  }
})

test('a signature is invalid for other data, outside its time, and once the work is used up', () => {
  for (const vector of Object.values(VECTORS)) {
    const [expiration, inception] = vector.times
    const other = Buffer.from(vector.data)
    other.writeUInt8(other.readUInt8(1) ^ 1, 1)
    for (const options of [
      { data: other },
      { nowSeconds: expiration + 1 },
      { nowSeconds: inception - 1 },
      { verifications: 0 },
    ])
      assert.equal(check(vector, options).verdict.isValid, false)
    // Both ends are included (RFC 4034 section 3.1.5).
    for (const nowSeconds of vector.times) assert.equal(check(vector, { nowSeconds }).verdict.isValid, true)
  }
})

test('a message whose names loop, point ahead or end early is refused', () => {
  const query = encodeQuery({ id: 7, name: ['example', 'com'], type: TYPES.A })
  const answer = Buffer.from(query)
  answer.writeUInt16BE(0x8180, 2)
  assert.deepEqual(parseMessage(answer).question, { name: ['example', 'com'], type: 1 })
  assert.throws(() => parseMessage(query), RangeError)
  for (let end = 0; end < 27; end++)
    assert.throws(() => parseMessage(answer.subarray(0, end)), RangeError, `${end}`)
  for (const target of [12, 13, 40]) {
    const looping = Buffer.from(answer)
    looping.writeUInt16BE(0xc000 | target, 12)
    assert.throws(() => parseMessage(looping), RangeError)
  }
})

test('names with dots and other bytes in their labels are rendered as zone files write them', () => {
  assert.equal(renderName(['a.b', 'x\u0000', 'com']), 'a\\.b.x\\000.com')
})
