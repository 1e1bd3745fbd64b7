import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import { sendJson, startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'
import { createInferenceService } from '../service.ts'

/** Required members of `CreateChatCompletionResponse`, its choices and their message, in OpenAI's OpenAPI 2.3.0. */
const REQUIRED = {
  answer: ['choices', 'created', 'id', 'model', 'object'],
  choice: ['finish_reason', 'index', 'logprobs', 'message'],
  message: ['content', 'refusal', 'role'],
}

let upstream: TestUpstream
before(async () => {
  upstream = await startChatUpstream()
})
after(() => upstream.close())

test('a whole answer has every member that the dialect requires, also of an upstream that omits some', async () => {
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const opened = await openTiers(tierFile.parse({ tiers: { default: { upstreams } } }), {
    userAgent: 'test',
    health: patientHealth,
  })
  const ports = inferencePorts({ tiers: opened })
  const { ask } = openService(await createInferenceService({ baseUrl: 'https://test.example', ports }))
  const look = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  // As llama.cpp and older Ollama servers answer: neither `logprobs` nor `refusal`, no text next to a call.
  for (const [message, content] of [
    [{ role: 'assistant', content: 'Hi' }, 'Hi'],
    [{ role: 'assistant', tool_calls: [look] }, null],
    [{ role: 'assistant', content: 'Hi', refusal: 'No.' }, 'Hi'],
  ] as const) {
    upstream.answerWith(sendJson({ choices: [{ message, finish_reason: 'stop' }] }))
    const messages = [{ role: 'user', content: 'hello' }]
    const { body, text } = await ask('/v1/chat/completions', {
      method: 'POST',
      payer: TEST_PAYER,
      body: { messages },
    })
    for (const name of REQUIRED.answer) assert.ok(name in body, `${name}: ${text}`)
    const [choice] = body.choices
    for (const name of REQUIRED.choice) assert.ok(name in choice, `choices.0.${name}: ${text}`)
    for (const name of REQUIRED.message)
      assert.ok(name in choice.message, `choices.0.message.${name}: ${text}`)
    const refusal = 'refusal' in message ? message.refusal : null
    assert.deepEqual([choice.index, choice.logprobs, choice.message.content], [0, null, content])
    assert.equal(choice.message.refusal, refusal)
  }
})
