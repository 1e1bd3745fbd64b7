import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CATALOGUE, fileNameOf, sizeOfModel, toMegabytes } from './model-catalogue.ts'

test('each file is at a fixed revision, with a hash, under a name of its own', () => {
  const files = CATALOGUE.flatMap((model) => model.files)
  for (const { url, sha256, sizeBytes } of files) {
    assert.match(url, /^https:\/\/.*\/[\da-f]{40}\//)
    assert.match(sha256, /^[\da-f]{64}$/)
    assert.ok(sizeBytes > 100_000, url)
  }
  assert.equal(new Set(files.map(fileNameOf)).size, files.length)
  assert.equal(new Set(files.map(({ sha256 }) => sha256)).size, files.length)
  assert.equal(new Set(CATALOGUE.map(({ name }) => name)).size, CATALOGUE.length)
})

test('the documentation has the size and licence of each model', () => {
  const page = readFileSync('docs/models.md', 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  assert.deepEqual(
    rows.map((row) => row.split(' | ').filter((_, at) => at !== 1 && at < 4)),
    CATALOGUE.map((model) => [
      `| \`${model.name}\``,
      `${toMegabytes(sizeOfModel(model)).toLocaleString('en')} MB`,
      model.licence,
    ]),
  )
})
