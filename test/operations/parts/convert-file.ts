/**
 * Converts a file and prints time and memory: `node test/operations/parts/convert-file.ts <file> <from> <to> <written
 * file>`.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { convert } from '@tollbook/convert/convert'
import type { Format } from '@tollbook/convert/format'
import { Notes } from '@tollbook/convert/notes'
import { PLAIN_OPTIONS } from '@tollbook/convert/plain-options'

const [file = '', from, to, target = ''] = process.argv.slice(2)

function* readFile(): Generator<string> {
  const decoder = new StringDecoder('utf8')
  const bytes = Buffer.alloc(65_536)
  const handle = openSync(file, 'r')
  for (let read = readSync(handle, bytes); read > 0; read = readSync(handle, bytes))
    yield decoder.write(bytes.subarray(0, read))
  closeSync(handle)
  yield decoder.end()
}

const max = Number.POSITIVE_INFINITY
const limits = { ...PLAIN_OPTIONS.limits, rows: max, writtenBytes: max }
const started = performance.now()
const written = openSync(target, 'w')
const pieces = convert(
  readFile,
  { ...PLAIN_OPTIONS, from: from as Format, to: to as Format, limits },
  new Notes(),
)
for (let next = pieces.next(); !next.done; next = pieces.next()) writeSync(written, next.value.text)
closeSync(written)
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
process.stdout.write(
  JSON.stringify({
    peakMb: Math.round(maxRSS / 1024),
    seconds: Number(((performance.now() - started) / 1000).toFixed(1)),
    cpuSeconds: Number(((userCPUTime + systemCPUTime) / 1e6).toFixed(1)),
  }),
)
