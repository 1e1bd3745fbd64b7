import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSyntaxError } from './convert.ts'
import type { Format } from './format.ts'
import { PLAIN_OPTIONS } from './plain-options.ts'

/** The maximum length that is parsed on the main thread before payment. */
const LENGTH = 16_384
/** Roughly 50 times the CPU time of the slowest case on an idle machine. */
const LIMIT_MS = 500

const fill = (text: string) => text.repeat(Math.ceil(LENGTH / text.length)).slice(0, LENGTH)

/** Inputs designed to be slow to parse, with their formats. */
const BOMBS: readonly (readonly [Format, string])[] = [
  ['sql', `$${'a'.repeat(LENGTH / 2)}$${fill('$').slice(LENGTH / 2)}`],
  [
    'sql',
    `INSERT INTO t VALUES ${fill("(replace(replace('aaaaaaaaaaaaaaaa','a','bbbbbbbbbbbbbbbb'),'b','cccccccccccccccc')),")}`,
  ],
  ['sql', `INSERT INTO t VALUES (char(${fill('65,')}65))`],
  ['sql', `INSERT INTO t VALUES (${fill("'a'||")}'a')`],
  ['sql', `INSERT INTO t VALUES (${fill('(')}`],
  ['sql', fill('/*')],
  ['sql', fill("'x")],
  ['sql', fill('CREATE TABLE t (')],
  ['csv', fill('[1x],{"a":x},"[",')],
  ['csv', fill('"')],
  ['csv', fill('a\n')],
  ['json', fill('[')],
  ['json', fill('[{"a":')],
  ['json', `[${fill('1e1,')}1]`],
  ['json', fill('"\\u0041')],
  ['ndjson', fill('{}\n')],
]

test('validation before payment never blocks the thread for long', () => {
  for (const [from, text] of BOMBS) {
    const start = process.cpuUsage()
    findSyntaxError(text, { ...PLAIN_OPTIONS, from, to: 'csv' })
    const { user, system } = process.cpuUsage(start)
    assert.ok((user + system) / 1000 < LIMIT_MS, `${from} ${text.slice(0, 40)}: ${(user + system) / 1000} ms`)
  }
})
