import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '@tollbook/runtime/config'
import { createShutdown } from '@tollbook/runtime/process/shutdown'
import pino from 'pino'
import { openBrowser } from './open-browser.ts'

const open = (environment: NodeJS.ProcessEnv) =>
  openBrowser({
    config: loadConfig(environment),
    logger: pino({ level: 'silent' }),
    shutdown: createShutdown(),
  })

test('no browser is started if one is configured, or if that is disabled; the line of the start says so', async () => {
  const url = 'http://127.0.0.1:9222'
  const configured = await open({ TOLLBOOK_BROWSER_WS: url, TOLLBOOK_BROWSER: 'off' })
  assert.deepEqual(configured.row, ['rendering', 'sold: TOLLBOOK_BROWSER_WS'])
  assert.equal((await configured.browsers?.take(new AbortController().signal))?.url, url)
  const disabled = await open({ TOLLBOOK_BROWSER: 'off' })
  assert.equal(disabled.browsers, null)
  assert.match(disabled.row[1], /^not sold: TOLLBOOK_BROWSER=auto npm start /)
})
