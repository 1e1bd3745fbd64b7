import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkTiers } from '@tollbook/models/files/check-tiers'
import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import { type Config, loadConfig } from '@tollbook/runtime/config'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { checkSearch } from '@tollbook/utility/open/check-search'

const KEY = 'sk-k3y-0123456789'
const folder = mkdtempSync(join(tmpdir(), 'tollbook-check-'))
const json = (body: unknown) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const site = await servePages({
  // https://platform.openai.com/docs/api-reference/models/list
  '/v1/models': json({ object: 'list', data: [{ id: 'small', object: 'model', owned_by: 'library' }] }),
  // https://docs.searxng.org/src/searx.webapp.html#searx.webapp.config
  '/searx/config': json({
    engines: [
      { name: 'wikipedia', enabled: true },
      { name: 'bing', enabled: false },
    ],
  }),
  // https://docs.tavily.com/documentation/api-reference/endpoint/usage
  '/tavily/usage': json({
    key: { usage: 150, limit: 1000 },
    account: { current_plan: 'Bootstrap', plan_usage: 500, plan_limit: 15000 },
  }),
  '/spent/usage': json({ key: { usage: 1000, limit: 1000 } }),
})
after(() => {
  site.close()
  rmSync(folder, { recursive: true, force: true })
})
const { host } = new URL(site.url)

function shown(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ verdict, name, text }) => `${verdict} ${name} ${text.replace(`${host} `, '')}`)
}

function checkModels(config: Config, sold: Omit<Parameters<typeof checkTiers>[1], 'askServer'>) {
  return checkTiers(config, { ...sold, askServer: (server) => checkChatModels(config, server) })
}

async function check(file: unknown, isSold = (tier: string) => tier !== 'messages') {
  const path = join(folder, 'models.json')
  writeFileSync(path, JSON.stringify(file))
  const config = loadConfig({ TOLLBOOK_MODELS_FILE: path })
  return shown(await checkModels(config, { name: 'chat', sells: '/v1/chat/completions', isSold }))
}

test('every upstream of every tier is queried for its models, and no key is printed', async () => {
  const base_url = `${site.url}/v1`
  const findings = await check({
    tiers: {
      default: { upstreams: [{ base_url, model: 'small', key: KEY }] },
      'tier-1': {
        upstreams: [
          { base_url, model: 'large' },
          { dialect: 'gguf', file: 'none.gguf' },
        ],
      },
      messages: { upstreams: [{ base_url, model: 'small' }] },
    },
  })
  assert.deepEqual(findings, [
    'ok chat default: has the model small',
    'note chat tier-1: does not list the model large; check TOLLBOOK_MODELS_FILE',
    `failed chat tier-1: ${join(folder, 'none.gguf')} cannot be read; check TOLLBOOK_MODELS_FILE`,
  ])
  assert.ok(!findings.join().includes(KEY))
})

test('an upstream of messages is queried in its dialect, and unsold endpoints are reported', async () => {
  const upstream = { base_url: `${site.url}/v1`, model: 'small', key: KEY, dialect: 'messages' }
  const file = { tiers: { messages: { upstreams: [upstream] } } }
  assert.deepEqual(await check(file, (tier) => tier === 'messages'), [
    'ok chat messages: has the model small',
  ])
  assert.deepEqual(await check(file), [
    'note chat TOLLBOOK_MODELS_FILE names no upstream for /v1/chat/completions; not sold',
  ])
  const none = { name: 'chat', sells: '/v1/chat/completions', isSold: () => true }
  assert.deepEqual(shown(await checkModels(loadConfig({}), none)), [
    'note chat no TOLLBOOK_MODELS_FILE; /v1/chat/completions is not sold',
  ])
})

test('search upstreams are checked by free requests', async () => {
  const ask = async (settings: Record<string, string>) => shown(await checkSearch(loadConfig(settings)))
  const searxng = 'searches with 1 engines; its settings.yml must list json under search: formats'
  assert.deepEqual(
    await ask({
      TOLLBOOK_SEARXNG_URL: `${site.url}/searx`,
      TOLLBOOK_SEARCH_URL: `${site.url}/tavily`,
      TOLLBOOK_SEARCH_KEY: KEY,
    }),
    [`ok search ${searxng}`, 'ok search accepts TOLLBOOK_SEARCH_KEY; 150 of 1000 credits are used'],
  )
  assert.deepEqual(await ask({ TOLLBOOK_SEARCH_URL: `${site.url}/spent`, TOLLBOOK_SEARCH_KEY: KEY }), [
    'failed search accepts TOLLBOOK_SEARCH_KEY; 1000 of 1000 credits are used',
  ])
  assert.deepEqual(await ask({ TOLLBOOK_SEARXNG_URL: `${site.url}/v1` }), [
    'note search answers, but does not show its configuration, so it is unchecked',
  ])
  assert.match((await ask({}))[0] ?? '', /^note search no upstream is set/)
})
