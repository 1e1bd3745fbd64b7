import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPrograms } from '@tollbook/inference/engine/run-program'
import { describeInference } from '@tollbook/inference/open/describe-inference'
import type { InferencePorts } from '@tollbook/inference/ports'
import { createInferenceService } from '@tollbook/inference/service'
import { openVoiceCatalogue } from '@tollbook/inference/voices/voice-catalogue'
import { openModels } from '@tollbook/models/files/open-models'
import type { LocalServer } from '@tollbook/models/find-local-servers'
import { loadConfig } from '@tollbook/runtime/config'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { recordedVoices } from '@tollbook/testing/inference/recorded-voices'
import { startChatUpstream } from '@tollbook/testing/models/chat-upstream'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { describeUtility } from '@tollbook/utility/open/describe-utility'
import { createUtilityService } from '@tollbook/utility/service'
import { openBergamot } from '@tollbook/utility/translate/backend/bergamot'
import { createLanguageNames } from '@tollbook/utility/translate/language/language-names'
import { createTranslator } from '@tollbook/utility/translate/translator'
import { CATALOGUE } from './models/model-catalogue.ts'

const baseUrl = 'https://inference.example'

/** How each line of something that is not sold begins. */
const COMMAND =
  /^not sold: (?:npx node src\/main\.ts (?:models add|import pages) \S|apt-get install \w|npm (?:ci|install) -|TOLLBOOK_\w+=\S+ npm start)/

async function describe(ports: Partial<InferencePorts>, servers: readonly LocalServer[] = []) {
  const service = await createInferenceService({ baseUrl, ports: inferencePorts(ports) })
  return describeInference([service], servers)
}

onSqliteState('with nothing configured, each line begins with a command that changes it', async (state) => {
  const inference = await createInferenceService({ baseUrl, ports: inferencePorts() })
  const utility = await createUtilityService({ baseUrl, ports: utilityPorts(state) })
  const services = [utility, inference]
  const rows = new Map([...describeUtility(services), ...describeInference(services, [])])
  const names = ['search', 'translation', 'OCR', 'chat', 'embeddings', 'speech', 'transcripts']
  for (const name of [...names, 'images', 'images (v1)']) assert.match(rows.get(name) ?? '', COMMAND, name)
  for (const value of rows.values()) assert.match(value, /^not sold: |^none; 9 providers/)
  const added = [...rows.values()].join('\n').matchAll(/models add ([\w.-]*[\w])/g)
  const listed = CATALOGUE.map(({ name }) => name)
  assert.deepEqual(
    [...added].map(([, name = '']) => name).filter((name) => !listed.includes(name)),
    [],
  )
  assert.match(
    rows.get('chat') ?? '',
    /^not sold: npx node src\/main\.ts models add qwen2\.5-0\.5b-instruct, or TOLLBOOK_MODELS_FILE/,
  )
  assert.match(rows.get('voices') ?? '', /^none; 9 providers with keys or addresses, such as/)
  assert.match(rows.get('speech') ?? '', /^not sold: .*espeak-ng/)
  assert.match(
    rows.get('transcripts') ?? '',
    /^not sold: npx node src\/main\.ts models add whisper-base, or TOLLBOOK_WHISPER_FILE/,
  )
  assert.equal(rows.has('offer'), false)
})

onSqliteState('translators and OCR that are there are named', async (state) => {
  const model = { source: 'en', target: 'es', model: 'm', shortlist: 's', vocabulary: 'v' }
  const backend = openBergamot([model])
  assert.ok(backend)
  const read = async () => ({ blocks: [], confidence: 0, uncertain: [], unread: 0 })
  const ocr = { read, close() {} }
  const translator = createTranslator([backend], createLanguageNames())
  const ports = utilityPorts(state, { ocr, translator })
  const rows = new Map(describeUtility([await createUtilityService({ baseUrl, ports })]))
  assert.equal(rows.get('OCR'), 'sold: tesseract, English')
  assert.match(rows.get('translation') ?? '', /^sold: bergamot; other pairs with npx node /)
})

onSqliteState(
  'each endpoint that makes images has a row of its own, since each has a setting of its own',
  async (state) => {
    const imageMaker = {
      make: () => Promise.reject(new Error('nothing is made here')),
      pauseSeconds: () => 0,
    }
    for (const [ofUtility, ofInference] of [
      [null, imageMaker],
      [imageMaker, null],
    ] as const) {
      const utility = await createUtilityService({
        baseUrl,
        ports: utilityPorts(state, { imageMaker: ofUtility }),
      })
      const inference = await createInferenceService({
        baseUrl,
        ports: inferencePorts({ imageMaker: ofInference }),
      })
      const services = [utility, inference]
      const rows = new Map([...describeUtility(services), ...describeInference(services, [])])
      const [own, v1] = [rows.get('images') ?? '', rows.get('images (v1)') ?? '']
      // What is set makes its own endpoint sold, and no other.
      if (ofUtility) assert.deepEqual([own, v1.split('=')[0]], ['sold', 'not sold: TOLLBOOK_MODELS_FILE'])
      else assert.deepEqual([own.split('=')[0], v1], ['not sold: TOLLBOOK_IMAGE_URL', 'sold'])
    }
  },
)

test('the voices of one provider are counted in the singular', async () => {
  const voices = recordedVoices.voices
    .current()
    .voices.filter(({ provider }) => provider === 'flite')
    .slice(0, 1)
  const only = await openVoiceCatalogue([{ id: 'flite', list: async () => ({ isAvailable: true, voices }) }])
  const rows = new Map(await describe({ ...recordedVoices, voices: only }))
  assert.match(rows.get('voices') ?? '', /^1 voice of 1 provider \(flite\); 8 more with keys/)
})

test('voices, speech and transcripts that are sold are counted', async () => {
  const transcriber = {
    engine: 'whisper' as const,
    languages: ['en', 'de'],
    transcribe: () => Promise.reject(new Error('nothing is played here')),
  }
  const transcription = { transcriber, kinds: ['wav' as const], programs: createPrograms() }
  const rows = new Map(await describe({ ...recordedVoices, transcription }))
  assert.match(
    rows.get('voices') ?? '',
    /^[1-9],\d{3} voices of 2 providers \(espeak-ng, flite\); 7 more with keys/,
  )
  assert.equal(rows.get('speech'), 'sold: espeak-ng, flite')
  assert.equal(rows.get('transcripts'), 'sold: whisper, 2 languages')
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
