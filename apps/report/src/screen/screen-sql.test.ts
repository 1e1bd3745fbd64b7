import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_SCREEN_INPUTS } from '@tollbook/verify/screen/screen'
import { SCREENS } from '@tollbook/verify/screen/screens'
import { SCREEN_SQL } from './screen-sql.ts'

test('whole pairs come before parts of pairs, and at most the last screen needs a number of candidates', () => {
  const isWhole = SCREENS.map(({ kind }) => SCREEN_SQL[kind].candidate === undefined)
  assert.deepEqual(
    isWhole,
    isWhole.toSorted((a, b) => Number(b) - Number(a)),
  )
  const columns = { isOneWallet: '', isPairOf: () => '0', candidates: 'n', paid: '', sentBack: '' }
  const parts = SCREENS.filter((_, at) => !isWhole[at])
  for (const { kind } of parts.slice(0, -1))
    assert.equal(SCREEN_SQL[kind].pair(columns, NO_SCREEN_INPUTS), '1', kind)
})
