import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sources } from './imports.ts'

/** A bare label, such as "rows per call", is shorter than a reason, such as "short, since renewing is cheap". */
const MIN_WORDS = 5
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm

test('each constant that is marked as chosen has its reason in its comment, or a link', () => {
  const bare = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(COMMENT)].flatMap(([comment]) => {
        const text = comment.replace(/\n\s*(?:\*|\/\/)|\*\/$/g, ' ')
        const [, reason] = /\bChosen:(.*)$/s.exec(text) ?? []
        if (reason === undefined || /https?:\/\/|docs\/decisions\/\d{4}/.test(reason)) return []
        return reason.trim().split(/\s+/).length < MIN_WORDS ? [`${file}: Chosen:${reason}`] : []
      }),
    )
  assert.deepEqual(bare, [])
})
