import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startOwnChromium } from '../browser/own-chromium.ts'
import { runCommand, startCommand, withoutSettings } from '../end-to-end/running-command.ts'
import { makeRunFolder } from '../run-folder.ts'
import { servePages } from '../servers/serve-pages.ts'

const run = promisify(execFile)
const PARTS = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'FACILITATOR', 'DEVCHAIN']

test('an install without development dependencies starts, and sells speech and rendered pages', async (context) => {
  const folder = makeRunFolder('production')
  context.after(() => rm(folder, { recursive: true }))
  await run('git', ['checkout-index', '--all', `--prefix=${folder}/`])
  await run('npm', ['ci', '--omit=dev', '--no-audit'], { cwd: folder })
  assert.ok(!existsSync(join(folder, 'node_modules/solc')))
  const site = await servePages({
    '/': "<title>App</title><main></main><script>document.querySelector('main').textContent = 'Two tides a day'</script>",
  })
  context.after(() => site.close())
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    ...Object.fromEntries(PARTS.map((part) => [`TOLLBOOK_${part}_PORT`, '0'])),
    TOLLBOOK_DATA_DIR: join(folder, 'data'),
    TOLLBOOK_BROWSER: 'auto',
    TOLLBOOK_PRIVATE_NETWORK: 'allow',
  }
  const product = await startCommand(['start'], environment, join(folder, 'src/main.ts'))
  context.after(() => product.close())
  environment.TOLLBOOK_DEVCHAIN_PORT = new URL(product.addresses['dev chain'] ?? '').port
  const call = (...words: readonly string[]) => runCommand(['call', '--yes', ...words], environment)
  const speech = join(folder, 'speech.mp3')
  const order = JSON.stringify({ input: 'Hello there.', voice: 'alloy' })
  const spoken = await call(`${product.addresses.inference}/v1/audio/speech`, '-d', order, '-o', speech)
  assert.equal(spoken.code, 0, spoken.stderr)
  // A frame of MPEG audio begins with eleven set bits (ISO/IEC 11172-3).
  assert.equal(readFileSync(speech).readUInt16BE(0) >> 5, 0x7ff)
  const browser = await startOwnChromium()
  if (typeof browser === 'string') return context.diagnostic(browser)
  await browser.close()
  const page = `${product.addresses.utility}/api/scrape?render=always&url=${encodeURIComponent(site.url)}/`
  const rendered = await call(page)
  assert.equal(rendered.code, 0, rendered.stderr)
  assert.match(rendered.stdout, /"markdown":"Two tides a day/)
})
