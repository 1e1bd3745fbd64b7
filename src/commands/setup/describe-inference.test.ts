import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { inferencePorts } from '../../../test/inference/inference-ports.ts'
import { recordedVoices } from '../../../test/inference/recorded-voices.ts'
import { startChatUpstream } from '../../../test/models/chat-upstream.ts'
import { loadConfig } from '../../config.ts'
import { createPrograms } from '../../inference/engine/run-program.ts'
import type { InferencePorts } from '../../inference/ports.ts'
import { createInferenceService } from '../../inference/service.ts'
import type { LocalServer } from '../../models/find-local-servers.ts'
import { describeInference } from './describe-inference.ts'
import { openModels } from './open-models.ts'

const baseUrl = 'https://inference.example'

async function describe(ports: Partial<InferencePorts>, servers: readonly LocalServer[] = []) {
  const service = await createInferenceService({ baseUrl, ports: inferencePorts(ports) })
  return describeInference([service], servers)
}

test('with nothing configured, each line says what would enable it', async () => {
  const rows = new Map(await describe({}))
  assert.match(
    rows.get('chat') ?? '',
    /^not sold: npx node src\/main\.ts models add qwen2\.5-0\.5b-instruct, or TOLLBOOK_MODELS_FILE/,
  )
  assert.match(rows.get('voices') ?? '', /^0 of 0 providers; 9 more with keys/)
  assert.match(rows.get('speech') ?? '', /^not sold: .*espeak-ng/)
  assert.match(
    rows.get('transcripts') ?? '',
    /^not sold: .*pocketsphinx.*models add whisper-base.*TOLLBOOK_WHISPER_FILE/,
  )
  assert.equal(rows.has('offer'), false)
  for (const [, value] of rows)
    if (value.startsWith('not sold')) assert.match(value, /npm (?:start|ci|install)|apt-get install/)
})

test('with the Debian packages voices and speech are sold, and American English is heard', async () => {
  const transcriber = {
    engine: 'pocketsphinx' as const,
    languages: ['en'],
    takesHints: false,
    transcribe: () => Promise.reject(new Error('nothing is played here')),
  }
  const transcription = { transcriber, kinds: ['wav' as const], programs: createPrograms() }
  const rows = new Map(await describe({ ...recordedVoices, transcription }))
  assert.match(rows.get('voices') ?? '', /^[1-9],\d{3} of 2 providers \(espeak-ng, flite\)/)
  assert.equal(rows.get('speech'), 'sold: espeak-ng, flite')
  assert.match(
    rows.get('transcripts') ?? '',
    /^sold: pocketsphinx, American English; others with npx node src\/main\.ts models add whisper-base, TOLLBOOK_WHISPER_FILE/,
  )
})

test('tiers are counted, invalid models are reported, and an unused local server is suggested', async (context) => {
  const upstream = await startChatUpstream()
  context.after(() => upstream.close())
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-describe-'))
  context.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'models.json')
  const local = { upstreams: [{ dialect: 'gguf', file: 'none.gguf' }] }
  const tiers = { default: { upstreams: [{ base_url: upstream.url, model: 'm' }] }, 'tier-2': local }
  await writeFile(path, JSON.stringify({ tiers }))
  const opened = await openModels(loadConfig({ TOLLBOOK_MODELS_FILE: path }), baseUrl)
  const other = 'http://127.0.0.1:11434/v1'
  const rows = await describe({ tiers: opened }, [
    { name: 'vLLM', baseUrl: upstream.url, models: ['m'] },
    { name: 'Ollama', baseUrl: other, models: ['llama3.2', 'qwen3'] },
  ])
  assert.deepEqual(rows.slice(0, 2), [
    ['chat', '1 of 16 tiers sold: default; 2 have a model'],
    ['', `tier-2: ${join(folder, 'none.gguf')} cannot be read`],
  ])
  const offers = rows.filter(([name]) => name === 'offer').map(([, value]) => value)
  assert.equal(offers.length, 1)
  assert.match(
    offers[0] ?? '',
    /^Ollama answers at http:\/\/127\.0\.0\.1:11434\/v1 with llama3\.2 and 1 more; .*TOLLBOOK_MODELS_FILE to its path$/,
  )
  const written = /\{.*\}/.exec(offers[0] ?? '')?.[0] ?? ''
  await writeFile(path, written)
  // The suggestion is a file that can be used unchanged.
  const offered = await openModels(loadConfig({ TOLLBOOK_MODELS_FILE: path }), baseUrl)
  assert.deepEqual(offered.get('default')?.addresses, [other])
})
