import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { writeInstalledModels } from '@tollbook/models/files/installed-models'
import { loadModelsFile, openExtractionTier, openModels } from '@tollbook/models/files/open-models'
import { loadConfig } from '@tollbook/runtime/config'
import { buildScriptedWhisper } from '@tollbook/testing/inference/scripted-whisper'
import { llamaSkip, whisperSkip } from '@tollbook/testing/models/native-engines'
import { buildScriptedGguf, END } from '@tollbook/testing/models/scripted-gguf'
import { buildScriptedMarian } from '@tollbook/testing/models/scripted-marian'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { findTranslationModels } from '@tollbook/utility/open/bergamot-models'
import { openTranslator } from '@tollbook/utility/open/open-translator'
import { removeModel, renderModels } from '../models.ts'
import { addModel, lockFolder } from './add-model.ts'
import type { CatalogueModel } from './model-catalogue.ts'

const NEVER = new AbortController().signal
const MAIN = new URL('../../main.ts', import.meta.url).pathname
const LOCKS = new URL('../../../../../packages/models/src/files/model-locks.ts', import.meta.url).href

async function startHub(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`
}

function sourceOf(name: string, bytes: Uint8Array) {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { url: `https://hub.invalid/${name}`, sizeBytes: bytes.byteLength, sha256 }
}

/** A catalogue entry for these bytes, a hub that has them, and an empty data folder. */
async function prepare(
  context: TestContext,
  { kind, bytes }: { kind: CatalogueModel['kind']; bytes: Uint8Array },
) {
  const from = await startHub(context, (_request, response) => response.end(bytes))
  const model: CatalogueModel = {
    name: `tiny-${kind}`,
    kind,
    title: 'Tiny',
    licence: 'Apache-2.0',
    files: [sourceOf('tiny.model', bytes)],
  }
  const folder = temporaryFolder('add-model')
  const settings = { TOLLBOOK_DATA_DIR: folder, TOLLBOOK_WHISPER_THREADS: '1' }
  const config = loadConfig(settings)
  const file = join(folder, 'models', 'tiny.model')
  return {
    model,
    config,
    settings,
    file,
    folder,
    add: () => addModel(model, { config, signal: NEVER, from }),
  }
}

const CODE = { text: '`x`', isOrdered: false, hasSpaceBefore: true, hasSpaceAfter: true }
const CHAT = buildScriptedGguf([['\n', 'Hello', ' there', '.', END]], 8192)

test('an added chat model answers once, and serves every tier without an upstream of its own', {
  skip: llamaSkip(),
}, async (context) => {
  const { model, config, settings, file, folder, add } = await prepare(context, { kind: 'chat', bytes: CHAT })
  assert.match(
    await renderModels(config, [model], false),
    /^tiny-chat +not installed\n {2}chat: Tiny, \d MB, Apache-2\.0\n/,
  )
  const output = await add()
  assert.match(
    output,
    /^tiny-chat is installed in .*tiny\.model: asked "What .*", it answered "Hello there\."\./,
  )
  assert.match(output, /TOLLBOOK_EXTRACTION_TIER=messages/)
  assert.match(await renderModels(config, [model], false), /^tiny-chat +in use\n/)
  assert.equal(JSON.parse(await renderModels(config, [model], true))[0].status, 'in use')

  const own = { upstreams: [{ base_url: 'http://127.0.0.1:1/v1', model: 'm' }] }
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ tiers: { 'tier-3': own } }))
  const both = { ...settings, TOLLBOOK_MODELS_FILE: join(folder, 'models.json') }
  const { tiers = {} } = (await loadModelsFile(loadConfig(both))) ?? {}
  // The default tier, 15 others, and messages.
  assert.equal(Object.keys(tiers).length, 17)
  for (const [name, { upstreams }] of Object.entries(tiers)) {
    const [first] = upstreams
    if (name === 'tier-3')
      assert.ok(first?.dialect === 'chat' && first.base_url === own.upstreams[0]?.base_url)
    else assert.ok(first?.dialect === 'gguf' && first.file === file)
  }

  const extracting = loadConfig({ ...settings, TOLLBOOK_EXTRACTION_TIER: 'messages' })
  const open = await openModels(extracting, 'https://utility.example', (tier) => tier === 'messages')
  assert.equal(await openExtractionTier(extracting, 'https://utility.example', open), open.get('messages'))
  // The tiers that this process has opened use the file.
  await assert.rejects(removeModel(model, config), /a running service uses tiny-chat; nothing was deleted/)
  assert.ok(existsSync(file))
})

test('an added embedding model is tried, and serves embeddings unless the file has others', {
  skip: llamaSkip(),
}, async (context) => {
  const { model, config, settings, file, folder, add } = await prepare(context, {
    kind: 'embeddings',
    bytes: CHAT,
  })
  assert.match(await add(), /tiny-embeddings is installed in .*it made a vector of \d{3} numbers/)
  const [first] = (await loadModelsFile(config))?.embeddings?.upstreams ?? []
  assert.ok(first?.dialect === 'gguf' && first.file === file)
  const own = { upstreams: [{ base_url: 'http://127.0.0.1:1/v1', model: 'm' }] }
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ embeddings: own }))
  const both = loadConfig({ ...settings, TOLLBOOK_MODELS_FILE: join(folder, 'models.json') })
  assert.equal((await loadModelsFile(both))?.embeddings?.upstreams[0]?.dialect, undefined)

  assert.equal(await removeModel(model, config), 'tiny-embeddings is deleted\n')
  assert.equal(await loadModelsFile(config), null)
  writeFileSync(file, CHAT)
  const { name, files } = { ...model, name: 'tiny-chat' }
  await writeInstalledModels(config, [{ name, kind: 'chat', file: 'tiny.model', others: [] }])
  assert.equal(Object.keys((await loadModelsFile(config))?.tiers ?? {}).length, 17)
  const chat: CatalogueModel = { ...model, name, files, kind: 'chat' }
  assert.equal(await removeModel(chat, config), 'tiny-chat is deleted\n')
  assert.equal(await loadModelsFile(config), null)
})

test('a translation model is three files, which translate together and are deleted together', async (context) => {
  const { model, shortlist, vocabulary } = buildScriptedMarian({
    ' The': ' La',
    ' house': ' casa',
    ' is': ' es',
    ' big': ' grande',
    '.': '.',
  })
  const all = { 'model.enes.bin.gz': model, 'lex.enes.bin.gz': shortlist, 'vocab.enes.spm.gz': vocabulary }
  const [main, ...others] = Object.entries(all).map(([name, bytes]) => sourceOf(name, bytes))
  assert.ok(main)
  const entry: CatalogueModel = {
    name: 'tiny-en-es',
    kind: 'translation',
    title: 'Tiny',
    licence: 'MPL-2.0',
    files: [main, ...others],
  }
  const from = await startHub(context, ({ url = '' }, response) =>
    response.end(new Map(Object.entries(all)).get(url.replace('/file/', ''))),
  )
  const folder = temporaryFolder('add-model')
  const config = loadConfig({ TOLLBOOK_DATA_DIR: folder, TOLLBOOK_TRANSLATE_ORDER: 'bergamot' })
  assert.match(
    await addModel(entry, { config, signal: NEVER, from }),
    /tiny-en-es is installed in .*: it translated "The house is big\." to "La casa es grande\."\.\nFrom its next start/,
  )
  assert.match(await renderModels(config, [entry], false), /^tiny-en-es +in use\n/)
  assert.equal(await removeModel(entry, config), 'tiny-en-es is deleted\n')
  assert.deepEqual(readdirSync(join(folder, 'models')).sort(), ['installed.json', 'models.lock'])
  assert.deepEqual(await findTranslationModels(config), [])
  await addModel(entry, { config, signal: NEVER, from })
  const silent = loadConfig({ TOLLBOOK_DATA_DIR: folder, TOLLBOOK_TRANSLATE_ORDER: 'llm' })
  assert.match(await renderModels(silent, [entry], false), /installed; TOLLBOOK_TRANSLATE_ORDER is used/)

  const translator = await openTranslator(config, 'https://utility.example')
  const [source, target] = ['English', 'Spanish'].map((name) => translator.names.find(name))
  assert.ok(translator.isReady() && source && target)
  const parts = ['# ', { pieces: ['The house is ', 0, ' big.'], masks: [CODE] }] as const
  const order = { parts, isMarkdown: true, source, target }
  assert.deepEqual(await translator.translate(order, NEVER), {
    parts: ['# ', 'La casa es `x` grande.'],
    provider: 'bergamot',
  })
  await assert.rejects(removeModel(entry, config), /a running service uses tiny-en-es/)
})

test('a model is deleted once no process uses it, even if that process was killed', {
  skip: whisperSkip(),
}, async (context) => {
  const bytes = buildScriptedWhisper({ script: [0, ' The', ' sea', '.', 2] })
  const { model, config, file, folder, add } = await prepare(context, { kind: 'transcription', bytes })
  assert.match(await add(), /tiny-transcription is installed in .*(heard "The sea\."|it was loaded)/)
  const script = `const { holdModelFile } = await import('${LOCKS}')
    holdModelFile('${file}'); console.log('held'); setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => service.kill('SIGKILL'))
  await once(service.stdout, 'data')
  await assert.rejects(removeModel(model, config), /a running service uses tiny-transcription/)
  const exit = once(service, 'exit')
  service.kill('SIGKILL')
  await exit
  assert.equal(await removeModel(model, config), 'tiny-transcription is deleted\n')
  assert.deepEqual(readdirSync(join(folder, 'models')).sort(), ['installed.json', 'models.lock'])
  assert.equal(await removeModel(model, config), null)
})

test('a file that no engine can load is not installed', { skip: llamaSkip() }, async (context) => {
  const { config, file, add } = await prepare(context, {
    kind: 'chat',
    bytes: Buffer.from('no model'),
  })
  await assert.rejects(
    add(),
    /the trial failed: .*tiny\.model is not a GGUF file; .* is complete, but not installed/,
  )
  assert.equal(await loadModelsFile(config), null)
  assert.ok(existsSync(file))
})

test('while one process adds a model, another one is refused', async (context) => {
  const { config, add } = await prepare(context, { kind: 'chat', bytes: CHAT })
  const lock = lockFolder(config)
  await assert.rejects(add(), /another process is adding or removing a model/)
  lock.close()
})

test('an interrupted command keeps its part, and says how to continue', async (context) => {
  const size = 147_951_465
  let onRequest = () => {}
  const from = await startHub(context, (_request, response) => {
    response.writeHead(200, { 'content-length': size })
    response.write(Buffer.alloc(3_000_000), () => onRequest())
  })
  const folder = temporaryFolder('add-model')
  const run = (...words: string[]) =>
    spawn(process.execPath, [MAIN, 'models', ...words], {
      env: { ...process.env, TOLLBOOK_DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve
  })
  const child = run('add', 'whisper-base', '--from', from)
  context.after(() => child.kill('SIGKILL'))
  const [exit, errors] = [once(child, 'exit'), text(child.stderr)]
  await requested
  const part = join(folder, 'models', 'ggml-base.bin.part')
  while (!existsSync(part) || statSync(part).size < 1_000_000) await delay(20)
  child.kill('SIGINT')
  assert.deepEqual(await exit, [70, null])
  assert.match(
    await errors,
    /stopped; [123] of 148 MB are in .*ggml-base\.bin\.part\. The same command continues/,
  )
  assert.match(await text(run('list').stdout), /^whisper-base +not installed; [123] MB are downloaded$/m)
  assert.match(await text(run('remove', 'whisper-base').stdout), /^whisper-base is deleted$/m)
  assert.equal(existsSync(part), false)
})
