import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Ask } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial } from '@tollbook/testing/social/open-social'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { seedSample } from '../../../../source/store/seed-sample.ts'
import type { State } from '../../../../state/state.ts'

async function open(state: State) {
  await seedSample(state, TEST_TIME)
  const { ask } = await openSocial(state)
  return (search: string, init: Ask = {}) =>
    ask(`/users/by/username${search}`, { payer: TEST_PAYER, ...init })
}

onEveryState('a profile is returned in the envelope of the X API v2', async (state, t) => {
  const ask = await open(state)
  const { status, body } = await ask('?username=JUN_sample')
  assert.equal(status, 200)
  t.assert.fileSnapshot(`${JSON.stringify(body, null, 2)}\n`, join(import.meta.dirname, 'golden/jun.json'), {
    serializers: [String],
  })
  assert.deepEqual((await ask('?username=@jun_sample')).body, body)
  assert.deepEqual((await ask('', { method: 'POST', body: { username: 'jun_sample' } })).body, body)
  const { description, location } = (await ask('?username=lea_sample')).body.data
  assert.deepEqual([description, location], ['', undefined])
})

onSqliteState('an unknown user is 404, and an invalid name is reported in the challenge', async (state) => {
  const ask = await open(state)
  const unknown = await ask('?username=nobody_at_all')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
  for (const name of ['', 'a b', 'x'.repeat(16), '@@a', 'a%00']) {
    assert.equal((await ask(`?username=${name}`)).status, 400, name)
    assert.equal((await ask(`?username=${name}`, { headers: { 'payment-signature': '' } })).status, 402)
  }
})
