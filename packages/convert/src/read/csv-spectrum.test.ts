import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { convertText } from '@tollbook/testing/utility/converting'

const folder = dirname(createRequire(import.meta.url).resolve('csv-spectrum'))
const cases = readdirSync(join(folder, 'csvs')).map((file) => file.replace(/\.csv$/, ''))

/** The suite's expected result; one case is not a list, and its phone number differs from its CSV. */
function readExpected(name: string): unknown {
  const rows = JSON.parse(readFileSync(join(folder, 'json', `${name}.json`), 'utf8'))
  return name === 'location_coordinates' ? [{ ...rows, 'Contact Phone Number': '2095257564' }] : rows
}

for (const name of cases)
  test(`csv-spectrum: ${name} is parsed as expected`, () => {
    const csv = readFileSync(join(folder, 'csvs', `${name}.csv`), 'utf8')
    const expected = readExpected(name)
    // The suite treats every cell as a string.
    const { text, notes } = convertText(csv, 'csv', 'json', { types: 'string', pieceLength: 3 })
    assert.deepEqual(JSON.parse(text), expected)
    assert.equal(notes.length, name === 'location_coordinates' ? 1 : 0, notes.join())
  })

test('csv-spectrum has twelve cases', () => {
  assert.equal(cases.length, 12)
})
