import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { FORMATS, type Format } from '@tollbook/convert/format'

const SMALL_BYTES = 5_000_000
const LARGE_BYTES = 50_000_000
/** Compiled code differs by a few; the larger text itself would take 45 MB more. */
const MAX_GROWTH_MB = 15
/** A heap that cannot hold the large text, let alone its rows. */
const HEAP_MB = 32

const folder = mkdtempSync(join(tmpdir(), 'tollbook-convert-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Rows as NDJSON, at least this many bytes. */
function writeRows(name: string, sizeBytes: number): string {
  const file = join(folder, name)
  const handle = openSync(file, 'w')
  for (let id = 1, written = 0; written < sizeBytes; ) {
    const lines: string[] = []
    for (const end = id + 1000; id < end; id++)
      lines.push(
        `{"id":${id},"price":${id % 1000}.10,"name":"row ${id}, \\"quoted\\"","on":${id % 2 === 0},"tags":["a",{"n":${id}}],"note":null}\n`,
      )
    written += writeSync(handle, lines.join(''))
  }
  closeSync(handle)
  return file
}

type Run = { readonly peakMb: number; readonly seconds: number; readonly cpuSeconds: number }

function run(file: string, from: Format, to: Format): Run & { readonly target: string } {
  const target = `${file}.${to}`
  const words = [
    `--max-old-space-size=${HEAP_MB}`,
    '--max-semi-space-size=1',
    'test/operations/parts/convert-file.ts',
    file,
    from,
    to,
    target,
  ]
  return { ...JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' })), target }
}

function compare(t: TestContext, less: Run, more: Run): void {
  t.diagnostic(
    `${less.peakMb} MB and ${more.peakMb} MB; ${more.seconds} s, ${more.cpuSeconds} s of processor`,
  )
  assert.ok(more.peakMb - less.peakMb < MAX_GROWTH_MB, `${less.peakMb} MB became ${more.peakMb} MB`)
}

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

const small = writeRows('small', SMALL_BYTES)
const large = writeRows('large', LARGE_BYTES)

test('50 MB to JSON take as much memory as 5 MB', (t) => {
  compare(t, run(small, 'ndjson', 'json'), run(large, 'ndjson', 'json'))
})

// A JSON text is parsed as a whole.
for (const format of FORMATS.filter((name) => name !== 'ndjson' && name !== 'json'))
  test(`50 MB to ${format} and back take as much memory as 5 MB, and are the same`, (t) => {
    const there = { small: run(small, 'ndjson', format), large: run(large, 'ndjson', format) }
    const back = {
      small: run(there.small.target, format, 'ndjson'),
      large: run(there.large.target, format, 'ndjson'),
    }
    compare(t, there.small, there.large)
    compare(t, back.small, back.large)
    assert.ok(statSync(large).size >= LARGE_BYTES)
    assert.equal(hashOf(back.large.target), hashOf(large))
    for (const { target } of [there.large, back.large]) rmSync(target)
  })
