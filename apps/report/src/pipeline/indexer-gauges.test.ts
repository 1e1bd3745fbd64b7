import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { Registry } from 'prom-client'
import { countIndexed, createPositionRecord, registerIndexerGauges, replaceGauge } from './indexer-gauges.ts'

onEveryState('what the indexer counts is exported, and wallets of an earlier week are not', async (state) => {
  const registry = new Registry()
  registerIndexerGauges(registry, state)
  for (const outcome of ['read', 'rejected', 'read'])
    await countIndexed(state, { gauge: 'portal_chunks', values: ['HyperSync', outcome] })
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

onEveryState('the ledger is current when it holds every block that may be read', async (state) => {
  const registry = new Registry()
  registerIndexerGauges(registry, state)
  const read = async () =>
    Object.fromEntries(
      [...(await registry.metrics()).matchAll(/^tollbook_report_ledger_(\w+) (\d+)$/gm)].map((match) =>
        match.slice(1),
      ),
    )
  const at = (seconds: number) => createPositionRecord(state, () => new Date(seconds * 1000))
  await at(1_000)({ endBlock: 90, head: 100 })
  assert.deepEqual(await read(), { end_block: '90', head_block: '100' })
  const record = at(2_000)
  await record({ endBlock: 101, head: 100 })
  // A second position within seconds is not stored.
  await record({ endBlock: 102, head: 101 })
  const current = { end_block: '101', head_block: '100', current_timestamp_seconds: '2000' }
  assert.deepEqual(await read(), current)
  await at(3_000)({ endBlock: 101, head: 120 })
  assert.deepEqual(await read(), { ...current, head_block: '120' })
})
