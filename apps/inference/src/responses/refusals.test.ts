import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openResponses } from '@tollbook/testing/inference/open-responses'
import { startChatUpstream, type TestUpstream } from '@tollbook/testing/models/chat-upstream'

let upstream: TestUpstream
let ask: Awaited<ReturnType<typeof openResponses>>
before(async () => {
  upstream = await startChatUpstream()
  ask = await openResponses(upstream)
})
after(() => upstream.close())

const item = (given: object) => ({ input: [{ role: 'user', content: 'hello' }, given] })
const REFUSED: readonly (readonly [field: object, parameter: string])[] = [
  [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ conversation: 'conv_1' }, 'conversation'],
  [{ store: true }, 'store'],
  [{ background: true }, 'background'],
  [{ prompt: { id: 'p' } }, 'prompt'],
  [{ include: ['message.output_text.logprobs'] }, 'include'],
  [{ truncation: 'auto' }, 'truncation'],
  [{ service_tier: 'flex' }, 'service_tier'],
  [{ temprature: 1 }, 'temprature'],
  [{ temperature: 3 }, 'temperature'],
  [{ input: [] }, 'input'],
  [{ tools: [{ type: 'web_search' }] }, 'tools.0.type'],
  [{ tools: [{ type: 'function' }] }, 'tools.0.name'],
  [{ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }, 'tool_choice.type'],
  [item({ type: 'item_reference', id: 'msg_1' }), 'input.1.type'],
  [item({ type: 'function_call_output', call_id: 'a' }), 'input.1.output'],
  [item({ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }), 'input.1.content.0.image_url'],
  [
    item({ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc/passwd' }] }),
    'input.1.content.0.image_url.url',
  ],
]
for (const [field, parameter] of REFUSED) {
  test(`${JSON.stringify(field).slice(0, 90)} is rejected by the name ${parameter}, unpaid`, async () => {
    const { status, body } = await ask({ input: 'hello', ...field })
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.error.type, 'invalid_request_error')
    assert.equal(body.error.param, parameter, body.error.message)
    assert.equal(upstream.calls.length, 0)
  })
}
