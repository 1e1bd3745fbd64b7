import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const PAGE = readFileSync('docs/threat-model.md', 'utf8')
const rows = PAGE.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| #'))
const namedTests = (text: string) =>
  [...text.matchAll(/`([\w./{}-]+\.test\.ts)`/g)].map((match) => match[1] ?? '')

test('every test that the threat model names exists', () => {
  const named = namedTests(PAGE)
  assert.ok(named.length > 30, `${named.length} tests`)
  assert.deepEqual(
    named.filter((file) => !existsSync(file)),
    [],
  )
})

test('every boundary and attack class has a test, or says that it is open', () => {
  const promises = rows.filter((row) => !/^\| (boundary|---)/.test(row))
  assert.ok(promises.length > 20, `${promises.length} rows`)
  assert.deepEqual(
    promises.filter((row) => namedTests(row).length === 0 && !/\| open \|/.test(row)),
    [],
  )
})

test('attack classes are numbered in order, and each names boundaries of the table above', () => {
  const boundaries = rows.filter((row) => !/^\| \d/.test(row)).map((row) => row.split(' | ')[0]?.slice(2))
  const attacks = rows.filter((row) => /^\| \d/.test(row)).map((row) => row.split(' | '))
  const classes = attacks.map(([, , names = '']) => names)
  assert.deepEqual(
    attacks.map(([number = '']) => Number(number.slice(2))),
    attacks.map((_, at) => at + 1),
  )
  assert.ok(classes.length > 30)
  const unknown = classes.flatMap((names) => names.split(', ')).filter((name) => !boundaries.includes(name))
  assert.deepEqual(unknown, [])
})
