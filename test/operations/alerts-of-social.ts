import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { startDevChain } from '@tollbook/devchain/dev-chain'
import { payAndCall } from '@tollbook/pay/pay'
import { startCommand, withoutSettings } from '@tollbook/testing/commands/running-command'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { failingX } from '@tollbook/testing/social/social-upstreams'
import { APP_TOKEN, openXUpstream } from '@tollbook/testing/social/x-upstream'
import { OPERATOR_SETTING } from '../paying/operator-key.ts'
import { startPrometheus, withoutPrometheus } from './prometheus.ts'

/** A minute of the rules lasts two seconds. */
const MINUTE_SECONDS = 2
const opened: (() => unknown)[] = []
after(async () => {
  for (const close of opened.reverse()) await close()
})

test('the alerts of a social upstream fire when it fails and when its budget is spent, and stop', {
  skip: withoutPrometheus,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-alerts-'))
  opened.push(() => rmSync(folder, { recursive: true, force: true }))
  const chain = await startDevChain({ port: 0 })
  opened.push(() => chain.close())
  const upstream = await openXUpstream()
  upstream.answer = () => ({ status: 500, body: {} })
  const environment = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: folder,
    TOLLBOOK_DEVCHAIN_PORT: new URL(chain.rpcUrl).port,
    TOLLBOOK_SOCIAL_PORT: String(await findFreePort()),
    TOLLBOOK_SOCIAL_PROVIDERS: 'x',
    TOLLBOOK_X_URL: upstream.url,
    TOLLBOOK_X_TOKEN: APP_TOKEN,
    ...OPERATOR_SETTING,
    TOLLBOOK_LOG_LEVEL: 'error',
  }
  const start = (budget: string) =>
    startCommand(['serve', 'social'], { ...environment, TOLLBOOK_SOCIAL_BUDGET: budget })
  let social = await start('*=10')
  opened.push(() => social.close())
  const prometheus = await startPrometheus([social.addresses.social ?? ''], MINUTE_SECONDS)
  opened.push(() => prometheus.close())

  let calls = 0
  const buy = async () => {
    calls += 1
    await payAndCall({
      request: {
        url: `${social.addresses.social}/users/by/username?username=jun${calls}`,
        method: 'GET',
        headers: new Headers(),
      },
      key: DEV_CLIENT_KEYS[(calls % 8) as 0],
      rpcUrl: chain.rpcUrl,
      max: 100_000n,
      confirm: () => Promise.resolve(true),
      onRetry: () => {},
      signal: AbortSignal.timeout(60_000),
    })
  }
  await prometheus.until((firing) => firing.includes('TollbookSocialUpstreamFails'), buy)
  upstream.answer = failingX.healthy
  // After its pause a call is tried, and closes the breaker.
  await prometheus.until((firing) => !firing.includes('TollbookSocialUpstreamFails'), buy)
  await prometheus.until((firing) => firing.includes('TollbookSocialBudget'), buy)
  assert.ok(upstream.asked.length > 10)
  await social.close()
  social = await start('*=1000')
  await prometheus.until([])
})
