import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { readJson } from './read-json.ts'

const MAX_BYTES = 1_000

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(text: string, size = 7, skip = 0) {
  const found: [value: unknown, line: number, number: number][] = []
  for await (const { value, line, number } of readJson(cut(text, size), { maxBytes: MAX_BYTES, skip }))
    found.push([value, line, number])
  return found
}

test('values are unchanged wherever the bytes are split into chunks', async () => {
  const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 })
  const spaces = fc.constantFrom(undefined, 1)
  await fc.assert(
    fc.asyncProperty(values, spaces, fc.integer({ min: 1, max: 9 }), async (provided, indent, size) => {
      const written = provided.map((value) => JSON.stringify(value, null, indent))
      const expected = provided.map((value) => JSON.parse(JSON.stringify(value)) as unknown)
      const read = async (text: string) => (await readAll(text, size)).map(([value]) => value)
      // A file that begins with an array is that array.
      if (!Array.isArray(provided[0])) assert.deepEqual(await read(written.join('\n')), expected)
      assert.deepEqual(await read(`[${written.join(' ,\n')}]`), expected)
    }),
    { numRuns: 60 },
  )
})

test('each value has its line and its number, and skipped values are not parsed', async () => {
  assert.deepEqual(await readAll('\ufeff{"a":1}\n\n{"b":\n2}\n{"c":"\\n"}'), [
    [{ a: 1 }, 1, 1],
    [{ b: 2 }, 3, 2],
    [{ c: '\n' }, 5, 3],
  ])
  assert.deepEqual(await readAll('{"a":1}\n{"b":2}\n', 5, 1), [[{ b: 2 }, 2, 2]])
})

test('invalid JSON is rejected with its line', async () => {
  const cases: readonly [text: string, refusal: RegExp][] = [
    ['{"a":1}\n{"a":}\n', /^line 2: invalid JSON$/],
    ['{"a":1}\n{"a":\n\n1,}\n', /^line 4: invalid JSON$/],
    ['{"a":1}\n{"a":1', /^line 2: the file ends within a value from line 2 on$/],
    ['[1,\n2', /^line 2: the file ends within its array$/],
    ['[1\n2]', /^line 2: two values without a comma between them$/],
    ['[1,]', /^line 1: a comma without a value after it$/],
    ['[,1]', /^line 1: a comma without a value before it$/],
    ['[1]\n[2]', /^line 2: unexpected data after the end of the array$/],
    ['hello', /^line 1: invalid JSON$/],
    [`"${'x'.repeat(MAX_BYTES)}"`, /^line 1: a value from line 1 on has more than 1000 bytes$/],
    [`${'['.repeat(200)}`, /^line 1: a value is nested too deeply \(limit 100 levels\)$/],
  ]
  for (const [text, message] of cases)
    await assert.rejects(readAll(text), { name: 'PermanentError', message }, text)
  const notUtf8 = async function* () {
    yield Buffer.from('"\xff"', 'latin1')
  }
  const reading = readJson(notUtf8(), { maxBytes: 10, skip: 0 })
  await assert.rejects(reading.next(), { message: 'line 1: not UTF-8' })
})
