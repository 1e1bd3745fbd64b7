import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '@tollbook/testing/gather'
import { fc } from '@tollbook/testing/property'
import { EventTooLong, readEventData } from './event-stream.ts'

async function read(pieces: Iterable<Uint8Array>): Promise<string[]> {
  return gather(
    readEventData(
      (async function* () {
        yield* pieces
      })(),
    ),
  )
}

const bytes = (text: string) => new TextEncoder().encode(text)

test('comments, other fields and empty events are skipped, and data lines of one event are joined', async () => {
  const text =
    '\uFEFF: a comment\n\nevent: chunk\nid: 7\ndata: one\ndata:two\ndata\n\nretry: 10\n\ndata:  three\n\n'
  assert.deepEqual(await read([bytes(text)]), ['one\ntwo\n', ' three'])
})

test('the last event counts without a trailing blank line', async () => {
  assert.deepEqual(await read([bytes('data: one\n\ndata: [DONE]')]), ['one', '[DONE]'])
})

test('the data is the same for all line ends and chunk boundaries', async () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '漢', '😀'), maxLength: 8 })
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      ending,
      fc.array(fc.nat({ max: 9 })),
      async (events, end, cuts) => {
        const whole = bytes(events.map((data) => `: note${end}data: ${data}${end}${end}`).join(''))
        const pieces: Uint8Array[] = []
        let at = 0
        for (const size of cuts) {
          pieces.push(whole.subarray(at, at + size))
          at += size
        }
        pieces.push(whole.subarray(at))
        assert.deepEqual(await read(pieces), events)
      },
    ),
  )
})

test('an event without an end is rejected', async () => {
  const piece = bytes('data: '.padEnd(1024 * 1024, 'a'))
  await assert.rejects(read(Array.from({ length: 5 }, () => piece)), EventTooLong)
})
