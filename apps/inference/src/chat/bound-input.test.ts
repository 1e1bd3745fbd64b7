import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Metering, meteringOf } from '@tollbook/models/tiers/metering'
import { METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { loadTokenCounter } from '@tollbook/models/token-count'
import { fc } from '@tollbook/testing/property'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { admitInput, boundInputTokens, findBoundIssues } from './bound-input.ts'
import { type ChatInput, requestFields } from './request-fields.ts'

const metering = meteringOf(METERED_TIERS[1] ?? assert.fail(), { input_tokens: 32_768 }) as Metering
const asText = { disallowedSpecial: new Set<string>() }
const toInput = (more: object): ChatInput => requestFields.parse({ messages: [], ...more })

/** A conversation as many templates render it, with tools as indented JSON in ASCII. */
function renderPrompt({ messages, tools }: ChatInput): string {
  const said = messages.map(
    ({ role, content, tool_calls }) =>
      `<|im_start|>${role}\n${content ?? ''}${tool_calls ? JSON.stringify(tool_calls) : ''}<|im_end|>\n`,
  )
  const schemas = tools
    ? JSON.stringify(tools, null, 4).replaceAll(
        /[\u0080-\uffff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : ''
  return `${schemas}${said.join('')}<|im_start|>assistant\n`
}

const text = fc.string({ unit: 'grapheme', maxLength: 300 })
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user'), content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({
        id: text,
        type: fc.constant('function'),
        function: fc.record({ name: text, arguments: text }),
      }),
      { maxLength: 3 },
    ),
  }),
)
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name: text, description: text, parameters: fc.object({ maxDepth: 3 }) }),
})

test('the bound is never below the token counts of two encodings, for any input', () => {
  const request = fc.record(
    {
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['messages'] },
  )
  fc.assert(
    fc.property(request, (provided) => {
      const input = JSON.parse(JSON.stringify(provided)) as ChatInput
      const bound = boundInputTokens(input, metering)
      const prompt = renderPrompt(input)
      for (const count of [countO200k, countCl100k]) assert.ok(count(prompt, asText) <= bound)
    }),
    { numRuns: 60 },
  )
})

test('a text counts by its bytes, an image by its budget whatever its size, and a file is rejected', () => {
  const say = (content: unknown) => toInput({ messages: [{ role: 'user', content }] })
  const none = boundInputTokens(say(''), metering)
  assert.equal(boundInputTokens(say('año'), metering) - none, 4)
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`
  const image = { type: 'image_url', image_url: { url } }
  assert.equal(boundInputTokens(say([image, image]), metering) - none, 2 * 2_048)
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }
  assert.deepEqual(
    findBoundIssues(say([{ type: 'text', text: 'Read.' }, file]), metering).map(({ parameter }) => parameter),
    ['messages.0.content.1'],
  )
})

const prose = 'The quick brown fox jumps over the lazy dog. '

test('input of more bytes than the cap is served if its tokens fit, and refused if not', async () => {
  const countTokens = await loadTokenCounter()
  const admit = (content: string) =>
    admitInput(toInput({ messages: [{ role: 'user', content }] }), { metering, countTokens })
  // 10 tokens and 45 bytes each, and the last blank: 30,001 tokens in 135,000 bytes, of 32,768.
  assert.equal(countO200k(prose.repeat(2)), 21)
  await admit(prose.repeat(3_000))
  // 30,000 letters of a token or less, in 90,000 bytes.
  await admit('\u4f60\u597d'.repeat(15_000))
  await assert.rejects(admit(prose.repeat(3_300)), {
    name: 'ProblemError',
    message: /^invalid_request: messages must be at most 32768 tokens, counted with o200k/,
  })
})

test('other calls go on while the tokens of a long input are counted', async () => {
  const countTokens = await loadTokenCounter()
  let longest = 0
  const counting = (text: string) => {
    longest = Math.max(longest, text.length)
    return countTokens(text)
  }
  let turns = 0
  const turn = setInterval(() => {
    turns += 1
  }, 0)
  const content = 'a'.repeat(190_000)
  await admitInput(toInput({ messages: [{ role: 'user', content }] }), { metering, countTokens: counting })
  clearInterval(turn)
  assert.ok(longest <= 8_192)
  assert.ok(turns > 5, `${turns} turns of the event loop`)
})

test('input of more than six bytes for each token of the cap is rejected before any payment', () => {
  const say = (content: string) => toInput({ messages: [{ role: 'user', content }] })
  // Of 32,768 tokens, 272 are for the conversation and its message, and some for the role.
  const [issue] = findBoundIssues(say(' '.repeat(6 * 32_500)), metering)
  assert.equal(issue?.parameter, 'messages')
  assert.match(issue?.detail ?? '', /at most 32768 tokens, but counts as 32\d{3} or more/)
  assert.deepEqual(findBoundIssues(say(' '.repeat(6 * 32_400)), metering), [])
})
