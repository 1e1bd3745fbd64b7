import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOW_GAS_SETTLEMENTS } from '@tollbook/gate/facilitator'
import { pino } from 'pino'
import { createGasWarning } from './gas-warning.ts'

test('low gas is logged at once and hourly, for each wallet, and anew after it was refilled', () => {
  const lines: { wallet: string; settlements: number }[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  let nowMs = 0
  const warn = createGasWarning(logger, () => nowMs)
  const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
  const look = (settlements: bigint) =>
    warn([
      { address: first, settlements },
      { address: second, settlements: LOW_GAS_SETTLEMENTS },
    ])
  look(LOW_GAS_SETTLEMENTS - 1n)
  look(LOW_GAS_SETTLEMENTS - 2n)
  assert.deepEqual(
    lines.map(({ wallet, settlements }) => [wallet, settlements]),
    [[first, 999]],
  )
  nowMs = 60 * 60_000
  look(3n)
  assert.equal(lines.length, 2)
  look(LOW_GAS_SETTLEMENTS)
  look(5n)
  assert.equal(lines.at(-1)?.settlements, 5)
  assert.equal(lines.length, 3)
})
