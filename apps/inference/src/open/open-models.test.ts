import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { openExtractionTier, openModels } from '@tollbook/models/files/open-models'
import { loadConfig } from '@tollbook/runtime/config'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'

/** No model is installed. */
const EMPTY = { TOLLBOOK_DATA_DIR: temporaryFolder('models') }

async function open(file: unknown) {
  const path = join(temporaryFolder('models'), 'models.json')
  await writeFile(path, JSON.stringify(file))
  return openModels(loadConfig({ ...EMPTY, TOLLBOOK_MODELS_FILE: path }), 'https://inference.example')
}

test('without a file no tier is open', async () => {
  assert.equal((await openModels(loadConfig(EMPTY), 'https://inference.example')).size, 0)
})

test('the tiers of the file are open, and an unreachable upstream is detected at once', async () => {
  const upstream = await startChatUpstream()
  const at = (base_url: string) => ({ upstreams: [{ base_url, model: 'm' }] })
  const tiers = await open({ tiers: { default: at(upstream.url), 'tier-15': at('http://127.0.0.1:1/v1') } })
  assert.deepEqual(
    [...tiers].map(([name, { model }]) => [name, model.isReady()]),
    [
      ['default', true],
      ['tier-15', false],
    ],
  )
  upstream.close()
})

test('an invalid file stops the start', async () => {
  await assert.rejects(open({ tiers: { 'tier-16': { upstreams: [] } } }), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.match(error.message, /TOLLBOOK_MODELS_FILE: tiers\.tier-16\.upstreams/)
    return true
  })
})

test('a messages upstream answers messages, not chats: another tier with one stops the start', async () => {
  const upstreams = [{ base_url: 'http://127.0.0.1:1/v1', model: 'm', dialect: 'messages' }]
  const { messages } = Object.fromEntries(await open({ tiers: { messages: { upstreams } } }))
  assert.equal(messages?.model.servesChats, false)
  await assert.rejects(open({ tiers: { 'tier-9': { upstreams } } }), {
    name: 'ConfigError',
    message:
      /TOLLBOOK_MODELS_FILE: tiers\.tier-9\.upstreams\.0\.dialect: messages is allowed only in the tier messages; remove it, and set base_url to a server of chat completions/,
  })
})

test('a tier that cannot answer chats fills no schemas', async () => {
  const path = join(temporaryFolder('models'), 'models.json')
  const upstreams = [{ base_url: 'http://127.0.0.1:1/v1', model: 'm', dialect: 'messages' }]
  await writeFile(path, JSON.stringify({ tiers: { messages: { upstreams } } }))
  const settings = { ...EMPTY, TOLLBOOK_MODELS_FILE: path, TOLLBOOK_EXTRACTION_TIER: 'messages' }
  await assert.rejects(openExtractionTier(loadConfig(settings), 'https://utility.example'), {
    name: 'ConfigError',
    message: /TOLLBOOK_EXTRACTION_TIER: the tier messages has no upstream of chat completions/,
  })
})

test('rates and caps that exceed the listed price stop the start', async () => {
  const upstreams = [{ base_url: 'http://127.0.0.1:1/v1', model: 'm' }]
  const rates = { input: '1', cached: '0.5', output: '4' }
  const tiers = { 'tier-2': { upstreams, upto: { rates } }, 'tier-1': { upstreams, upto: {} } }
  await assert.rejects(open({ tiers }), (error) => {
    assert.ok(error instanceof ConfigError)
    // 4 * 8,192 micro-USDC, above the 15,187 of tier 2.
    assert.match(error.message, /tiers\.tier-2\.upto: the caps cost 0\.032768 dollars/)
    assert.match(error.message, /tiers\.tier-1\.upto: the tier has no metered variant/)
    return true
  })
})
