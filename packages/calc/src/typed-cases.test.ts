import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerOf, withAllDigits } from '@tollbook/testing/utility/typed/judge-typed'

const CASES = join(import.meta.dirname, 'golden/typed-cases.tsv')

test('1,600 generated expressions as people type them agree with PARI/GP, or are refused as they must be', () => {
  const cases = readFileSync(CASES, 'utf8').trimEnd().split('\n')
  const wrong = cases.filter((line) => {
    const [typed = '', expected, unit] = line.split('\t')
    const answer = answerOf(typed)
    if (typeof answer === 'string') return expected !== 'refused'
    const isUnit = unit === '?' || unit === (answer.unit ?? '')
    const again = answerOf(answer.understood)
    const isEchoed = typeof again !== 'string' && again.result === answer.result
    return !isUnit || !isEchoed || withAllDigits(answer.scientific ?? '') !== expected
  })
  assert.deepEqual(wrong, [])
  assert.equal(cases.length, 1600)
})
