import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { buildTierFileSchema, loadTierFile } from './tier-file.ts'

const SCHEMA = new URL('../../../../docs/models.schema.json', import.meta.url)
const UPSTREAM = { base_url: 'http://127.0.0.1:8000/v1/', model: 'm' }

async function load(text: string) {
  const path = join(temporaryFolder('models'), 'models.json')
  await writeFile(path, text)
  return loadTierFile(path, ['default', 'tier-1'])
}

test('the JSON Schema in docs matches the file format', () => {
  assert.deepEqual(JSON.parse(readFileSync(SCHEMA, 'utf8')), buildTierFileSchema())
})

test('a tier needs only a URL and a model', async () => {
  const { tiers } = await load(JSON.stringify({ tiers: { 'tier-1': { upstreams: [UPSTREAM] } } }))
  assert.deepEqual(tiers['tier-1'], {
    aliases: [],
    strategy: 'fallback',
    limits: {},
    upstreams: [
      {
        base_url: 'http://127.0.0.1:8000/v1',
        model: 'm',
        dialect: 'chat',
        weight: 1,
        max_tokens_field: 'max_tokens',
        connect_ms: 5_000,
        first_token_ms: 60_000,
        idle_ms: 30_000,
        total_ms: 240_000,
      },
    ],
  })
})

test('errors name the path of the setting and never repeat a key', async () => {
  const key = 'sk-very-secret'
  const wrong = { tiers: { 'tier-1': { upstreams: [{ ...UPSTREAM, key: `${key} `, wieght: 2 }] } } }
  await assert.rejects(load(JSON.stringify(wrong)), (error: Error) => {
    assert.match(error.message, /tiers\.tier-1\.upstreams\.0.*wieght/)
    assert.match(error.message, /upstreams\.0\.key: must be one word of ASCII/)
    assert.doesNotMatch(error.message, new RegExp(key))
    return true
  })
  await assert.rejects(load(`{"key": "${key}`), { message: 'is not valid JSON' })
  await assert.rejects(
    load(JSON.stringify({ tiers: { 'tier-9': { upstreams: [UPSTREAM] } } })),
    /unknown tier tier-9/,
  )
})

test('an alias belongs to one tier and is a valid path segment', async () => {
  const name = (one: string[], other: string[] = []) =>
    load(
      JSON.stringify({
        tiers: {
          default: { upstreams: [UPSTREAM], aliases: one },
          'tier-1': { upstreams: [UPSTREAM], aliases: other },
        },
      }),
    )
  assert.deepEqual((await name(['fast', 'small'])).tiers.default?.aliases, ['fast', 'small'])
  await assert.rejects(name(['tier-1']), /tiers\.default\.aliases: tier-1 is already in use/)
  await assert.rejects(name(['fast'], ['fast']), /tiers\.tier-1\.aliases: fast is already in use/)
  await assert.rejects(name(['fast/upto']), /lower-case letters/)
})
