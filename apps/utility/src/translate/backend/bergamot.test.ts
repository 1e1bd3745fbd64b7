import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { buildScriptedMarian } from '@tollbook/testing/models/scripted-marian'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import type { BergamotModel } from '../bergamot/orders.ts'
import { splitDocument } from '../document/split-document.ts'
import { translateSegments } from '../translate-segments.ts'
import { openBergamot } from './bergamot.ts'

const NEVER = new AbortController().signal
const SPANISH = { ' the': ' la', ' house': ' casa', ' is': ' es', ' big': ' grande', ' &': ' &', '<': '<' }
const GERMAN = { ' the': ' das', ' house': ' Haus', ' is': ' ist', ' big': ' groß' }

const turned = (words: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(words).map(([one, other]) => [other, one]))

/** A model of these words on disk. */
function writeModel(source: string, target: string, words: Readonly<Record<string, string>>): BergamotModel {
  const folder = temporaryFolder('bergamot')
  const files = buildScriptedMarian({ ...words, '.': '.' })
  const write = (name: 'model' | 'shortlist' | 'vocabulary') => {
    const path = join(folder, name)
    writeFileSync(path, files[name])
    return path
  }
  return {
    source,
    target,
    model: write('model'),
    shortlist: write('shortlist'),
    vocabulary: write('vocabulary'),
  }
}

test('a model translates segments of several sentences, and masks stay with their words', async () => {
  const backend = openBergamot([writeModel('en', 'es', SPANISH)])
  assert.ok(backend)
  assert.deepEqual(
    await backend.translate(
      [['the house is big. the house is ', 0, ' big.'], ['the ', 0, ' house'], ['the house & the< house']],
      { source: 'en', target: 'es' },
      NEVER,
    ),
    [['la casa es grande. la casa es ', 0, 'grande.'], ['la ', 0, 'casa'], ['la casa & la< casa']],
  )
})

test('a Markdown document keeps its markup', async () => {
  const backend = openBergamot([writeModel('en', 'es', SPANISH)])
  assert.ok(backend)
  const document = '# the house\n\nthe **big** house is `code` big.\n'
  const parts = splitDocument(document, 'markdown')
  const segments = parts.filter((part) => typeof part !== 'string')
  const pair = { source: 'en', target: 'es' }
  const texts = await translateSegments(backend, segments, { pair, isMarkdown: true, signal: NEVER })
  assert.equal(
    parts.map((part) => (typeof part === 'string' ? part : texts.shift())).join(''),
    '# la casa\n\nla **grande** casa es `code` grande.\n',
  )
})

test('models from and to English also translate between the other languages', async () => {
  const models = [
    writeModel('en', 'es', SPANISH),
    writeModel('es', 'en', turned(SPANISH)),
    writeModel('en', 'de', GERMAN),
  ]
  const backend = openBergamot(models)
  assert.ok(backend)
  const pairs = await backend.loadPairs(NEVER)
  assert.ok(pairs !== 'any')
  assert.deepEqual(
    pairs.map(({ source, target }) => `${source}-${target}`),
    ['en-es', 'es-en', 'en-de', 'es-de'],
  )
  const pair = { source: 'es', target: 'de' }
  assert.deepEqual(await backend.translate([['la casa es ', 0, ' grande.']], pair, NEVER), [
    ['das Haus ist ', 0, 'groß.'],
  ])
})

test('a damaged model fails, and a caller who leaves stops the work; the next translation works', async () => {
  const good = writeModel('en', 'es', SPANISH)
  const bad = writeModel('en', 'de', GERMAN)
  // Half of a packed file.
  writeFileSync(bad.model, buildScriptedMarian(GERMAN).model.subarray(0, 2_000))
  const backend = openBergamot([good, bad])
  assert.ok(backend)
  const pair = { source: 'en', target: 'es' }
  await assert.rejects(
    backend.translate([['the house']], { source: 'en', target: 'de' }, NEVER),
    (error) => error instanceof ProblemError && error.problem.code === 'upstream_failed',
  )
  const stop = new AbortController()
  const translating = backend.translate([['the house is big.']], pair, stop.signal)
  stop.abort(new Error('left'))
  await assert.rejects(translating, /left/)
  assert.deepEqual(await backend.translate([['the house']], pair, NEVER), [['la casa']])
})

test('without a model there is no backend', () => {
  assert.equal(openBergamot([]), null)
})
