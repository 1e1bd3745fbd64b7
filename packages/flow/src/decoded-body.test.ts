import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { fc } from '@tollbook/testing/property'
import { readDecoded } from './decoded-body.ts'
import { AnswerTooLarge, InvalidAnswer, Unreachable } from './failure.ts'

const { signal } = new AbortController()
const CODERS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  deflate: deflateSync,
  ' deflate': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  identity: (bytes) => Buffer.from(bytes),
}

/** In pieces, as they arrive from a host. */
function read(bytes: Buffer, coding: string, maxBytes = 1_000_000, pieceBytes = 1000): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes))
  return readDecoded(Readable.from(pieces, { objectMode: false }), coding, { maxBytes, idleMs: 5000, signal })
}

for (const [coding, encode] of Object.entries(CODERS)) {
  test(`a body in '${coding}' is decoded to the original`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.integer({ min: 1, max: 500 }),
        async (bytes, piece) => {
          assert.deepEqual(Buffer.from(await read(encode(bytes), coding, 5000, piece)), Buffer.from(bytes))
        },
      ),
      { numRuns: 20 },
    )
  })
}

/** 64 MB of zeros: about 280 kB in gzip at its fastest, and a few kB in Brotli and Zstandard. */
const BOMBS: Readonly<Record<string, (zeros: Buffer) => Buffer>> = {
  gzip: (zeros) => gzipSync(zeros, { level: 1 }),
  deflate: (zeros) => deflateSync(zeros, { level: 1 }),
  br: (zeros) => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (zeros) => zstdCompressSync(zeros),
}

for (const [coding, encode] of Object.entries(BOMBS)) {
  test(`a bomb in ${coding} is stopped long before its end`, async () => {
    const bomb = encode(Buffer.alloc(64_000_000))
    let provided = 0
    const pieces = function* () {
      for (let at = 0; at < bomb.length; at += 100) {
        provided = at
        yield bomb.subarray(at, at + 100)
      }
    }
    const body = Readable.from(pieces(), { objectMode: false, highWaterMark: 100 })
    await assert.rejects(
      readDecoded(body, coding, { maxBytes: 100_000_000, idleMs: 5000, signal }),
      AnswerTooLarge,
    )
    // Streams read 64 kB ahead.
    assert.ok(provided < 100_000, `${provided} of ${bomb.length}`)
  })

  test(`a body in ${coding} that is truncated or corrupt is an invalid answer`, async () => {
    const whole = encode(Buffer.from('text '.repeat(1000)))
    await assert.rejects(read(whole.subarray(0, whole.length / 2), coding), InvalidAnswer)
    await assert.rejects(read(Buffer.from('this is no such coding'), coding), InvalidAnswer)
  })
}

test('several layers, and codings that were not requested, are invalid', async () => {
  for (const coding of ['gzip, gzip', 'gzip,br', 'compress', 'exi', '*']) {
    await assert.rejects(read(gzipSync('x'), coding), InvalidAnswer, coding)
  }
})

test('the limit is exact, with and without a coding', async () => {
  for (const [coding, encode] of Object.entries(CODERS)) {
    const body = encode(Buffer.alloc(2000, 'ab'))
    assert.equal((await read(body, coding, 2000)).length, 2000)
    await assert.rejects(read(body, coding, 1999), AnswerTooLarge)
  }
})

test('an empty body is empty in every coding', async () => {
  for (const coding of Object.keys(CODERS)) {
    assert.equal((await read(Buffer.alloc(0), coding)).length, 0, coding)
  }
})

test('a body in tiny pieces is rejected, one in lines is accepted', async () => {
  const body = Buffer.alloc(400_000, 'a')
  await assert.rejects(read(body, '', 1_000_000, 1), InvalidAnswer)
  assert.equal((await read(body, '', 1_000_000, 20)).length, 400_000)
})

test('a body that stalls is unreachable', async () => {
  const body = new Readable({ read() {} })
  body.push('one drop')
  await assert.rejects(
    readDecoded(body, '', { maxBytes: 100, idleMs: 30, signal }),
    (error) => error instanceof Unreachable && error.phase === 'body',
  )
})
