import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gather } from '@tollbook/testing/gather'
import { fc } from '@tollbook/testing/property'
import type { ChatChunk } from '../chat/chat-messages.ts'
import type { MessageEvent } from '../messages/answer.ts'
import { toMessageEvents } from './to-message-events.ts'

type Tool = { readonly id: string; readonly name: string; readonly input: Record<string, unknown> }
type Answer = {
  readonly thinking: string
  readonly text: string
  readonly tools: readonly Tool[]
  readonly finish: string
  readonly usage: { prompt: number; cached: number; completion: number }
}

const OPTIONS = { stopSequences: [], showsThinking: true }

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

const toChunk = (delta: object, finish_reason: string | null = null): ChatChunk => ({
  id: 'chatcmpl-9',
  choices: [{ index: 0, delta: { ...delta }, finish_reason }],
})
const toUsageChunk = ({ prompt, cached, completion }: Answer['usage']): ChatChunk => ({
  id: 'chatcmpl-9',
  choices: [],
  usage: {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  },
})

/** Splits a text at the given positions. */
function splitAt(text: string, places: readonly number[]): string[] {
  const cuts = [0, ...places.map((at) => at % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return cuts.slice(1).map((end, at) => text.slice(cuts[at], end))
}

const places = fc.array(fc.nat(60), { maxLength: 4 })
const answer: fc.Arbitrary<Answer> = fc.record({
  thinking: fc.string({ maxLength: 10 }),
  text: fc.string({ maxLength: 20, unit: 'grapheme' }),
  tools: fc.array(
    fc.record({
      id: fc.stringMatching(/^call_[a-z0-9]{1,8}$/),
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      input: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.array(fc.integer()))),
    }),
    { maxLength: 4 },
  ),
  finish: fc.constantFrom('stop', 'length', 'content_filter'),
  usage: fc.record({ prompt: fc.integer({ min: 10, max: 99 }), cached: fc.nat(9), completion: fc.nat(99) }),
})

/**
 * Streams an answer as chunks: each call is split, and the parts of different calls are interleaved, as some
 * servers send them; calls still start in order.
 */
const chunked = fc
  .tuple(answer, places, fc.array(places, { minLength: 4, maxLength: 4 }), fc.infiniteStream(fc.nat(9)))
  .map(([made, textPlaces, callPlaces, draws]) => {
    const waiting = made.tools.map(({ id, name, input }, index) => {
      const [first = '', ...rest] = splitAt(JSON.stringify(input), callPlaces[index] ?? [])
      const say = (more: object) => toChunk({ tool_calls: [{ index, ...more }] })
      const named = say({ id, type: 'function', function: { name, arguments: first } })
      return [named, ...rest.map((text) => say({ function: { arguments: text } }))]
    })
    const calls: ChatChunk[] = []
    let begun = 0
    while (waiting.some((chunks) => chunks.length > 0)) {
      const open = waiting.slice(0, begun + 1).filter((chunks) => chunks.length > 0)
      const chosen = open[Number(draws.next().value) % open.length] ?? []
      if (chosen === waiting[begun]) begun += 1
      calls.push(...chosen.splice(0, 1))
    }
    const finish = made.tools.length > 0 && made.finish === 'stop' ? 'tool_calls' : made.finish
    const chunks = [
      toChunk({ role: 'assistant', content: '' }),
      ...splitAt(made.thinking, textPlaces).map((text) => toChunk({ reasoning_content: text })),
      ...splitAt(made.text, textPlaces).map((text) => toChunk({ content: text })),
      ...calls,
      toChunk({}, finish),
      toUsageChunk(made.usage),
    ]
    return { made: { ...made, finish }, chunks }
  })

/** The blocks of an event stream, validated against the API's order. */
function readEvents(events: readonly MessageEvent[]) {
  const blocks: (Record<string, unknown> & { type: string })[] = []
  let open: number | null = null
  const end = events.at(-2)
  assert.deepEqual(
    [events[0]?.type, end?.type, events.at(-1)?.type],
    ['message_start', 'message_delta', 'message_stop'],
  )
  for (const event of events.slice(1, -2)) {
    switch (event.type) {
      case 'ping':
        break
      case 'content_block_start':
        assert.equal(open, null)
        assert.equal(event.index, blocks.length)
        open = event.index
        blocks.push({ ...event.content_block, json: '' })
        break
      case 'content_block_delta': {
        assert.equal(event.index, open)
        const block = blocks[event.index]
        assert.ok(block)
        const { text = '', thinking = '', partial_json = '' } = event.delta
        if (block.type === 'text') block.text = `${block.text}${text}`
        if (block.type === 'thinking') block.thinking = `${block.thinking}${thinking}`
        block.json = `${block.json}${partial_json}`
        break
      }
      case 'content_block_stop':
        assert.equal(event.index, open)
        open = null
        break
      default:
        assert.fail(`${event.type} is inside the blocks`)
    }
  }
  assert.equal(open, null)
  assert.ok(end?.type === 'message_delta')
  return { blocks, ending: end.delta, usage: end.usage }
}

const ENDINGS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

test('interleaved calls become sequential, complete blocks in the order of their start', async () => {
  await fc.assert(
    fc.asyncProperty(chunked, async ({ made, chunks }) => {
      const { blocks, ending, usage } = readEvents(await gather(toMessageEvents(each(chunks), OPTIONS)))
      const expected = [
        ...(made.thinking ? [['thinking', made.thinking]] : []),
        ...(made.text ? [['text', made.text]] : []),
        ...made.tools.map(({ id, name, input }) => ['tool_use', id, name, JSON.stringify(input)]),
      ]
      const provided = blocks.map(({ type, thinking, text, id, name, json }) =>
        type === 'tool_use' ? [type, id, name, json] : [type, type === 'text' ? text : thinking],
      )
      assert.deepEqual(provided, expected)
      assert.deepEqual(ending, {
        stop_reason: ENDINGS[made.finish],
        stop_sequence: null,
        stop_details: null,
        container: null,
      })
      assert.deepEqual(usage, {
        input_tokens: made.usage.prompt - made.usage.cached,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: made.usage.cached,
        output_tokens: made.usage.completion,
        output_tokens_details: null,
      })
    }),
  )
})
