import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { calc } from './endpoint.ts'

const GOLDEN = join(import.meta.dirname, 'golden')

test('answers are the golden documents', async (t) => {
  const answer = async (name: string, provided: Record<string, string>) =>
    t.assert.fileSnapshot(await runEndpoint(calc, provided), join(GOLDEN, `${name}.json`))
  await answer('integer', { expr: '100!' })
  await answer('rational', { expression: '1/3 + 1/7' })
  await answer('real', { q: 'sin(45)', angle: 'deg' })
  await answer('quantity', { expr: '5 acre to m^2' })
  await answer('measured', { expr: '12 u to kg' })
  await answer('boolean', { expr: '2^10 > 10^3' })
})

test("the example is the endpoint's answer", async () => {
  assert.deepEqual(await runEndpoint(calc, calc.example.input), calc.example.output)
})

test('a syntax error is reported with its column before payment', () => {
  assert.deepEqual(issuesOf(calc, { expr: '2 +* 3' }), [
    { parameter: 'expr', detail: 'column 4: unexpected *' },
  ])
  assert.equal(issuesOf(calc, { q: '2 +* 3' })[0]?.parameter, 'q')
  assert.equal(issuesOf(calc, {})[0]?.parameter, 'expr')
  assert.equal(issuesOf(calc, { expr: '1', q: '1' })[0]?.detail, 'is specified twice: expr and q')
  assert.equal(issuesOf(calc, { expr: '1'.repeat(1001) })[0]?.parameter, 'expr')
  assert.equal(issuesOf(calc, { expr: '1', angle: 'gon' })[0]?.parameter, 'angle')
})

test('an expression without a value is reported before payment, as one that cannot be served', () => {
  assert.deepEqual(issuesOf(calc, { expr: '1 + 2/0' }), [
    { parameter: 'expr', detail: 'column 6: division by zero', code: 'cannot_be_served' },
  ])
  assert.equal(issuesOf(calc, { expr: '9^9^9' })[0]?.code, 'cannot_be_served')
})

test('an expression too long to evaluate before payment is rejected by the handler', async () => {
  const expr = `${'20000! + '.repeat(50)}1`
  assert.deepEqual(issuesOf(calc, { expr }), [])
  await assert.rejects(runEndpoint(calc, { expr }), (error) => {
    assert.ok(error instanceof ProblemError)
    assert.equal(error.problem.code, 'cannot_be_served')
    assert.match(error.problem.detail, /^column \d+: the expression takes too long to compute$/)
    return true
  })
})

test('an expression that takes longer than the check before payment is still answered', async () => {
  const { result } = await runEndpoint(calc, { expr: '20000!/19998!' })
  // 20000 * 19999
  assert.equal(result, '399980000')
})
