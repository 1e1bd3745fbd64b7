import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMoneyPanel } from './money-panel.ts'

const render = (totals: Parameters<typeof renderMoneyPanel>[0]) => String(renderMoneyPanel(totals))

test('a first call of a tenth of a cent that passes is not shown as zero', () => {
  const panel = render({ usd: 0, real_usd: 0, tx: 1, real_tx: 1 })
  assert.ok(panel.includes('&lt;$0.01 of &lt;$0.01 reported (100%)'), panel)
})

test('no share is shown for a sum below half a cent of which a part passes', () => {
  const panel = render({ usd: 0, real_usd: 0, tx: 3, real_tx: 2 })
  assert.ok(panel.includes('&lt;$0.01 of &lt;$0.01 reported (–)'), panel)
})

test('where no payment passes, the real figure is zero', () => {
  const panel = render({ usd: 0, real_usd: 0, tx: 2, real_tx: 0 })
  assert.ok(panel.includes('$0.00 of &lt;$0.01 reported (0%)'), panel)
})
