import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventData } from '@tollbook/flow/event-stream'
import { gather } from '@tollbook/testing/gather'
import { toChunk, toEvent, toUsageChunk } from '@tollbook/testing/models/chat-upstream'
import { BASIC_STREAM, TOOL_STREAM, toNamedEvent } from '@tollbook/testing/models/messages-answers'
import { fc } from '@tollbook/testing/property'
import { readChunks } from '../chat/read-chunks.ts'
import { ModelFailed } from '../failure.ts'
import type { MessageEvent } from '../messages/answer.ts'
import { readEvents } from '../messages/read-events.ts'
import { toMessageEvents } from './to-message-events.ts'

const OPTIONS = { stopSequences: [], showsThinking: true }
const SOURCE = { signal: new AbortController().signal, firstTokenMs: 60_000, close: () => {} }

const call = (index: number, more: object) => toChunk({ tool_calls: [{ index, ...more }] })
const CHAT_STREAM = Buffer.from(
  `${[
    toChunk({ role: 'assistant', content: '' }),
    toChunk({ content: 'Grüße 漢字 😀' }),
    call(0, { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":' } }),
    call(1, { id: 'call_2', type: 'function', function: { name: 'hear', arguments: '{"é":' } }),
    call(0, { function: { arguments: '"海"}' } }),
    call(1, { function: { arguments: '1}' } }),
    toChunk({}, 'tool_calls'),
    toUsageChunk(5, 2),
  ]
    .map(toEvent)
    .join('')}data: [DONE]\n\n`,
)
const MESSAGES_STREAM = Buffer.from([...TOOL_STREAM].map(toNamedEvent).join(''))

async function* inPieces(bytes: Uint8Array, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const cuts = [...places, bytes.length].map((at) => Math.min(at, bytes.length)).toSorted((a, b) => a - b)
  let start = 0
  for (const end of cuts) {
    yield bytes.subarray(start, end)
    start = end
  }
}

type Reader = (pieces: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<MessageEvent>>
const fromChat: Reader = async (pieces) =>
  toMessageEvents(await readChunks(readEventData(pieces), SOURCE), OPTIONS)
const fromMessages: Reader = (pieces) => readEvents(readEventData(pieces), SOURCE)

/** The received events, and whether the stream ended with a model failure; any other error fails the test. */
async function readAll(read: Reader, pieces: AsyncIterable<Uint8Array>) {
  const events: MessageEvent[] = []
  try {
    for await (const event of await read(pieces)) events.push(event)
    return { events, hasFailed: false }
  } catch (error) {
    assert.ok(error instanceof ModelFailed, String(error))
    return { events, hasFailed: true }
  }
}

/** The content of the events, independent of how it was split into deltas. */
function contentOf(events: readonly MessageEvent[]): string {
  const contents = events.map((event) => {
    if (event.type === 'content_block_delta') return event.delta.text ?? event.delta.partial_json
    return event.type === 'content_block_start' ? `[${event.content_block.type}]` : ''
  })
  return contents.join('')
}

/** Exactly one of a final `message_stop` and a failure. */
function assertOneEnd({ events, hasFailed }: Awaited<ReturnType<typeof readAll>>): void {
  const stops = events.filter(({ type }) => type === 'message_stop').length
  assert.equal(stops, hasFailed ? 0 : 1)
  if (!hasFailed) assert.equal(events.at(-1)?.type, 'message_stop')
}

const STREAMS = [
  ['chat completions', CHAT_STREAM, fromChat],
  ['messages', MESSAGES_STREAM, fromMessages],
] as const
for (const [dialect, bytes, read] of STREAMS) {
  const place = fc.nat(bytes.length)

  test(`a ${dialect} stream has the same content wherever its bytes are split`, async () => {
    const whole = await gather(await read(inPieces(bytes, [])))
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 6 }), async (places) => {
        assert.deepEqual(await gather(await read(inPieces(bytes, places))), whole)
      }),
    )
  })

  test(`a ${dialect} stream that is truncated anywhere has one end, and no invented content`, async () => {
    const whole = contentOf(await gather(await read(inPieces(bytes, []))))
    for (let end = 0; end <= bytes.length; end += 7) {
      const result = await readAll(read, inPieces(bytes.subarray(0, end), []))
      assertOneEnd(result)
      assert.ok(whole.startsWith(contentOf(result.events)))
      // A stream that ended well is complete.
      if (!result.hasFailed) assert.equal(contentOf(result.events), whole)
    }
  })

  test(`garbage within a ${dialect} stream leads to exactly one end`, async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc
        .constantFrom(
          'data: {}\n\n',
          'data: {"error":{"message":"x"}}\n\n',
          'data: [DONE]\n\n',
          'data: null\n\n',
        )
        .map((text) => Buffer.from(text)),
      fc.constantFrom(...BASIC_STREAM.map(toNamedEvent)).map((text) => Buffer.from(text)),
    )
    await fc.assert(
      fc.asyncProperty(place, garbage, async (at, strange) => {
        const broken = Buffer.concat([bytes.subarray(0, at), strange, bytes.subarray(at)])
        assertOneEnd(await readAll(read, inPieces(broken, [])))
      }),
      { numRuns: 300 },
    )
  })
}
