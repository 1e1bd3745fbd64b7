import assert from 'node:assert/strict'
import { Registry } from 'prom-client'
import { onEveryState } from '../../../test/state/every-state.ts'
import { countIndexed, registerIndexerGauges, replaceGauge } from './indexer-gauges.ts'

onEveryState('what the indexer counts is exported, and wallets of an earlier week are not', async (state) => {
  const registry = new Registry()
  registerIndexerGauges(registry, state)
  for (const outcome of ['read', 'rejected', 'read'])
    await countIndexed(state, 'portal_chunks', ['HyperSync', outcome])
  await replaceGauge(state, 'unknown_sender_payments', [
    { label: '0xa1', value: 500 },
    { label: '0xa2', value: 120 },
  ])
  const read = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(await read(), [
    'tollbook_report_portal_chunks{portal="HyperSync",outcome="read"} 2',
    'tollbook_report_portal_chunks{portal="HyperSync",outcome="rejected"} 1',
    'tollbook_report_unknown_sender_payments{address="0xa1"} 500',
    'tollbook_report_unknown_sender_payments{address="0xa2"} 120',
  ])
  await replaceGauge(state, 'unknown_sender_payments', [])
  assert.equal((await read()).length, 2)
})
