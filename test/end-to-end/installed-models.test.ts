import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { addModel } from '@tollbook/cli/commands/models/add-model'
import type { CatalogueModel } from '@tollbook/cli/commands/models/model-catalogue'
import { loadConfig } from '@tollbook/runtime/config'
import { buildScriptedWhisper } from '@tollbook/testing/inference/scripted-whisper'
import { llamaSkip, whisperSkip } from '@tollbook/testing/models/native-engines'
import { buildScriptedGguf, END } from '@tollbook/testing/models/scripted-gguf'
import { buildScriptedMarian } from '@tollbook/testing/models/scripted-marian'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { startProduct } from './product.ts'

const TRANSLATIONS = { ' The': ' La', ' house': ' casa', ' is': ' es', ' big': ' grande', '.': '.' }

/** Files of each model, by the name of its catalogue entry. */
function buildModels(): Readonly<Record<string, readonly [CatalogueModel['kind'], ...Uint8Array[]]>> {
  const { model, shortlist, vocabulary } = buildScriptedMarian(TRANSLATIONS)
  return {
    'tiny-chat': ['chat', buildScriptedGguf([['\n', 'Hello', ' there', '.', END]], 8192)],
    'tiny-whisper': ['transcription', buildScriptedWhisper({ script: [0, ' The', ' sea', '.', 2] })],
    'tiny-en-es': ['translation', model, shortlist, vocabulary],
  }
}

test('models that were added are sold: a chat, a transcript and a translation are bought', {
  skip: llamaSkip() || whisperSkip(),
}, async (context) => {
  const folder = temporaryFolder('installed-models')
  const settings = { TOLLBOOK_DATA_DIR: folder, TOLLBOOK_WHISPER_THREADS: '1' }
  for (const [name, [kind, ...contents]] of Object.entries(buildModels())) {
    const paths = contents.map((_, at) => `/${name}.${at}`)
    const hub = await servePages(Object.fromEntries(contents.map((body, at) => [paths[at] ?? '', { body }])))
    const [first, ...others] = contents.map((bytes, at) => ({
      url: `https://hub.invalid${paths[at]}`,
      sizeBytes: bytes.byteLength,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }))
    assert.ok(first)
    const entry: CatalogueModel = { name, kind, title: name, licence: 'MIT', files: [first, ...others] }
    const from = others.length === 0 ? `${hub.url}${paths[0]}` : hub.url
    await addModel(entry, { config: loadConfig(settings), signal: new AbortController().signal, from })
    hub.close()
  }
  const product = await startProduct({ ...settings, TOLLBOOK_TRANSLATE_ORDER: 'bergamot' })
  context.after(() => product.close())
  const { inference, utility } = product.addresses
  const buy = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await product.command('call', '--yes', '--json', ...words)
    assert.equal(code, 0, stderr + stdout)
    return JSON.parse(stdout)
  }

  const chat = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 })
  const answer = await buy(`${inference}/v1/chat/completions`, '-d', chat)
  assert.equal(answer.body.choices[0].message.content, 'Hello there.')
  assert.ok(Number(answer.paid_usd) > 0)

  const wave = join(folder, 'spoken.wav')
  const order = JSON.stringify({ input: 'The sea.', voice: 'alloy', response_format: 'wav' })
  await buy(`${inference}/v1/audio/speech`, '-d', order, '-o', wave)
  const heard = await buy(
    `${inference}/v1/audio/transcriptions`,
    '-F',
    `file=@${wave}`,
    '-F',
    'model=whisper-1',
  )
  assert.deepEqual([heard.body.text.trim(), heard.body.engine], ['The sea.', 'whisper'])

  const text = JSON.stringify({ text: 'The **house** is big.', source: 'en', target: 'es' })
  const { paid_usd, body } = await buy(`${utility}/api/translate-text`, '-d', text)
  assert.deepEqual(
    [paid_usd, body.translation, body.provider],
    ['0.01', 'La **casa** es grande.', 'bergamot'],
  )

  // Each line of something that is not sold begins with a command.
  const missing = product.table.filter((line) => line.includes(' not sold: '))
  assert.ok(missing.length > 0)
  for (const line of missing)
    assert.match(line, / not sold: (?:npx node |apt-get install |npm |TOLLBOOK_\w+=\S+ npm start)/)
  for (const name of ['chat', 'messages', 'translation', 'transcripts'])
    assert.ok(
      product.table.some((line) => line.startsWith(name) && line.includes('sold')) &&
        !missing.some((line) => line.startsWith(name)),
      name,
    )
})
