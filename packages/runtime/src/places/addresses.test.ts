import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { placeService } from './addresses.ts'

for (const [host, baseUrl] of [
  ['127.0.0.1', 'http://127.0.0.1:4999'],
  ['0.0.0.0', 'http://127.0.0.1:4999'],
  ['::', 'http://127.0.0.1:4999'],
  ['::1', 'http://[::1]:4999'],
  ['tolls.example', 'http://tolls.example:4999'],
] as const)
  test(`a service that listens on ${host} has the base URL ${baseUrl}`, async () => {
    const config = loadConfig({ TOLLBOOK_HOST: host, TOLLBOOK_UTILITY_PORT: '4999' })
    assert.deepEqual(await placeService(config, 'utility'), { host, port: 4999, baseUrl })
  })

test('a configured public address is unchanged, and port 0 becomes a free one', async () => {
  const config = loadConfig({
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_SOCIAL_BASE_URL: 'https://social.example',
  })
  const { port, baseUrl } = await placeService(config, 'social')
  assert.ok(port > 0)
  assert.equal(baseUrl, 'https://social.example')
})
