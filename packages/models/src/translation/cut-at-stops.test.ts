import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '@tollbook/testing/gather'
import { fc } from '@tollbook/testing/property'
import type { ChatChunk } from '../chat/chat-messages.ts'
import { cutChunks, cutCompletion } from './cut-at-stops.ts'

const toChunk = (delta: object, finish_reason: string | null = null): ChatChunk => ({
  id: 'chatcmpl-9',
  choices: [{ index: 0, delta: { ...delta }, finish_reason }],
})

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

const textOf = (chunks: readonly ChatChunk[]) =>
  chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')

/** Where a model that generates letter by letter would stop: at the stop sequence that is complete first. */
function firstStop(text: string, stops: readonly string[]): { at: number; stop: string } | null {
  for (let end = 1; end <= text.length; end++) {
    const [stop] = stops
      .filter((one) => text.slice(0, end).endsWith(one))
      .toSorted((one, other) => other.length - one.length)
    if (stop !== undefined) return { at: end - stop.length, stop }
  }
  return null
}

/** Splits letters into chunks, some of them empty. */
const pieces = fc.array(fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b', 'c') }), { maxLength: 6 })
const stops = fc.array(fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b') }), {
  minLength: 1,
  maxLength: 3,
})

test('a text is cut at its first stop sequence, however it is chunked, and none of it is sent before', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, stops, async (said, sequences) => {
      const text = said.join('')
      const chunks = [...said.map((content) => toChunk({ content })), toChunk({}, 'length')]
      const cut = await gather(cutChunks(each(chunks), sequences))
      const first = firstStop(text, sequences)
      assert.equal(textOf(cut), first ? text.slice(0, first.at) : text)
      const end = cut.at(-1)?.choices[0]
      assert.deepEqual(
        [end?.finish_reason, end?.stop_reason],
        first ? ['stop', first.stop] : ['length', undefined],
      )

      const message = { role: 'assistant' as const, content: text }
      const [whole] = cutCompletion(
        { choices: [{ message, finish_reason: 'length' }], usage: undefined },
        sequences,
      ).choices
      assert.deepEqual([whole?.message.content, whole?.stop_reason], [textOf(cut), first?.stop])
    }),
  )
})

test('a possible start of a stop sequence is sent once a tool call follows', async () => {
  const calls = toChunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }] })
  const chunks = [toChunk({ content: 'see EN' }), calls, toChunk({}, 'tool_calls')]
  const cut = await gather(cutChunks(each(chunks), ['END']))
  assert.deepEqual(
    cut.map(({ choices }) => choices[0]?.delta?.content),
    ['see ', 'EN', undefined],
  )
})

test('the model stops generating when its text is cut', async () => {
  let isEnded = false
  async function* write(): AsyncGenerator<ChatChunk> {
    try {
      for (;;) yield toChunk({ content: 'on and on END ' })
    } finally {
      isEnded = true
    }
  }
  assert.equal(textOf(await gather(cutChunks(write(), ['END']))), 'on and on ')
  assert.equal(isEnded, true)
})
