import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig, SETTINGS } from '@tollbook/runtime/config'
import { serviceSetting } from '@tollbook/runtime/settings/service-settings'
import { PAID_APPS } from '../apps.ts'
import { listSettings } from './settings.ts'

const KEY = 'k3y-0123456789'
const shown = (...provided: Parameters<typeof listSettings>) =>
  listSettings(...provided).map(({ text }) => text)

test('unset settings are listed by purpose, each once', () => {
  const lines = shown(loadConfig({}), ['index', 'report', ...PAID_APPS])
  const names = lines.flatMap((line) => line.match(/TOLLBOOK_\w+/g) ?? [])
  // Settings without a default are optional.
  const optional = Object.entries(SETTINGS).filter(
    ([, schema]) => schema.safeParse(undefined).data === undefined,
  )
  const ofServices = PAID_APPS.flatMap((name) =>
    (['BASE_URL', 'PAY_TO', 'TAGS'] as const).map((suffix) => serviceSetting(name, suffix)),
  )
  assert.deepEqual(names.toSorted(), [...optional.map(([name]) => name), ...ofServices].toSorted())
  for (const line of lines) assert.ok(line.length <= 200, line)
})

test('neither a setting that is set nor one for a part that does not run is listed', () => {
  const search = { TOLLBOOK_SEARCH_URL: 'https://api.tavily.com', TOLLBOOK_SEARCH_KEY: KEY }
  const lines = shown(loadConfig(search), ['utility'])
  assert.ok(lines.includes('not set, for search: TOLLBOOK_SEARXNG_URL'))
  assert.ok(lines.includes('not set, for models: TOLLBOOK_MODELS_FILE'))
  for (const strange of ['TOLLBOOK_SOCIAL', 'TOLLBOOK_POLLY', 'TOLLBOOK_LABELS_FILE', KEY])
    assert.ok(!lines.some((line) => line.includes(strange)), strange)
})

test('a purpose whose settings are all set has no line', () => {
  const lines = shown(loadConfig({ TOLLBOOK_PIPER_URL: 'http://127.0.0.1:5000' }), ['inference'])
  assert.ok(!lines.some((line) => line.includes('Piper')))
  assert.ok(lines.some((line) => line.includes('Kokoro')))
})
