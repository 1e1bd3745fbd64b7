import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { convertText } from '@tollbook/testing/utility/converting'
import { ConvertError } from '../convert-error.ts'

type Suite = {
  readonly cases: readonly (readonly [name: string, text: string | readonly [string, number]])[]
}

const suite: Suite = JSON.parse(
  readFileSync(join(import.meta.dirname, '../golden/json-test-suite.json'), 'utf8'),
)

const bytesOf = (text: string | readonly [string, number]) =>
  typeof text === 'string'
    ? Buffer.from(text, 'base64')
    : Buffer.concat(Array(text[1]).fill(Buffer.from(text[0], 'base64')))

/** The parsed text or the error; bytes that are not UTF-8 never reach the converter. */
function read(bytes: Uint8Array, pieceLength: number): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return 'rejected: not UTF-8'
  }
  try {
    return convertText(text, 'json', 'json', { pieceLength }).text
  } catch (error) {
    if (error instanceof ConvertError) return `rejected: ${error.line}`
    throw error
  }
}

test('every valid text of JSONTestSuite is accepted, and every invalid one rejected', () => {
  const counts = { y: 0, n: 0 }
  for (const [name, text] of suite.cases) {
    const bytes = bytesOf(text)
    for (const pieceLength of [bytes.length, 1]) {
      const result = read(bytes, pieceLength)
      const isRight = name.startsWith('y_')
      assert.equal(!result.startsWith('rejected'), isRight, `${name}: ${result}`)
      // JSON.parse checks that the value is the same; it keeps the last of duplicate names.
      if (isRight) assert.deepEqual(JSON.parse(result), JSON.parse(bytes.toString()), name)
    }
    counts[name.startsWith('y_') ? 'y' : 'n'] += 1
  }
  assert.deepEqual(counts, { y: 95, n: 188 })
})
