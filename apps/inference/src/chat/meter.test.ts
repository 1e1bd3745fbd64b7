import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatCompletion, parseChatChunk } from '@tollbook/models/chat/chat-messages'
import { type Metering, meteringOf } from '@tollbook/models/tiers/metering'
import { TIERS } from '@tollbook/models/tiers/tier-table'
import { toChunk, toCompletion, toUsageChunk } from '@tollbook/testing/models/chat-upstream'
import { createMeter, type Meter } from './meter.ts'
import { requestFields } from './request-fields.ts'

/** A dollar per thousand tokens of input, four of output, so that each token is visible in the charge. */
const metering: Metering = {
  ...(meteringOf(TIERS[7] ?? assert.fail(), undefined) as Metering),
  maxCharge: 10_000_000n,
  rates: { input: 1_000_000_000n, cached: 100_000_000n, output: 4_000_000_000n },
}
/** Words count as tokens. */
const countTokens = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
const input = requestFields.parse({ messages: [{ role: 'user', content: 'one two three' }] })

function open(maxTokens = 100): Meter {
  return createMeter({ metering, input, maxTokens, countTokens })
}
const take = (meter: Meter, chunk: unknown) => meter.take(parseChatChunk(chunk) ?? assert.fail())
const takeWhole = (answer: unknown, maxTokens?: number) => {
  const meter = open(maxTokens)
  return { charge: meter.takeWhole(chatCompletion.parse(answer)), usage: meter.usage() }
}
const withUsage = (usage: unknown) => ({ ...toCompletion({ content: 'a b' }), usage })

test("the upstream's counts decide, including its cached tokens", () => {
  const counts = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 }
  const { charge, usage } = takeWhole(withUsage({ ...counts, prompt_tokens_details: { cached_tokens: 20 } }))
  // 30 at 0.001 dollars, 20 at 0.0001, 7 at 0.004.
  assert.equal(charge, 60_000n)
  assert.deepEqual(usage, { ...counts, prompt_tokens_details: { cached_tokens: 20 }, cost_usd: 0.06 })
})

test('reasoning counts, also if an upstream includes it only in the total', () => {
  const within = takeWhole(withUsage({ prompt_tokens: 10, completion_tokens: 30, total_tokens: 40 }))
  const beside = takeWhole(withUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 }))
  assert.deepEqual([within.charge, beside.charge], [130_000n, 130_000n])
})

test('no upstream can count beyond the bound determined before the call', () => {
  const lie = { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 }
  // 256 of the conversation, 16 of the message, 15 bytes of {"role":"user"}, 13 of its text; 100 of the answer.
  assert.equal(takeWhole(withUsage(lie)).charge, 300_000n + 400_000n)
})

test('without upstream counts the text is counted, and the counts are marked as estimated', () => {
  const reasoned = { content: 'three four five', reasoning_content: 'one two ' }
  const { charge, usage } = takeWhole({ ...toCompletion(reasoned), usage: null })
  // 4 words in: {"role":"user"} and three of the text.
  assert.equal(charge, 4_000n + 20_000n)
  assert.deepEqual(usage, {
    prompt_tokens: 4,
    completion_tokens: 5,
    total_tokens: 9,
    usage_estimated: true,
    cost_usd: 0.024,
  })
  const call = { id: 'a', type: 'function', function: { name: 'look ', arguments: '{"at": 1}' } }
  const called = takeWhole({ ...toCompletion({ content: null, tool_calls: [call] }), usage: null })
  assert.equal(called.usage.completion_tokens, 3)
  const zeros = takeWhole(withUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }))
  assert.equal(zeros.usage.usage_estimated, true)
})

test('a stream is counted by its text until its upstream reports counts, which then decide', () => {
  const meter = open()
  const soFar = [
    toChunk({ role: 'assistant', content: '' }),
    toChunk({ content: 'one two' }),
    toChunk({ content: ' three' }),
    toUsageChunk(10, 4),
  ].map((chunk) => take(meter, chunk))
  assert.deepEqual(soFar, [4_000n, 12_000n, 16_000n, 26_000n])
  assert.equal(meter.usage().cost_usd, 0.026)
})

test('counts that a stream reports before its last text are not final', () => {
  const meter = open()
  take(meter, toChunk({ content: 'one' }, null, { usage: { prompt_tokens: 9, completion_tokens: 1 } }))
  assert.equal(take(meter, toChunk({ content: ' two three' })), 4_000n + 12_000n)
})
