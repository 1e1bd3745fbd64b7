import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '@tollbook/runtime/config'
import type { Row } from '@tollbook/runtime/process/announce'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import type { Logger } from 'pino'
import {
  type Chromium,
  findChromiumPackage,
  findSystemChromium,
  unpackChromium,
} from '../browser/own/find-chromium.ts'
import { OwnBrowsers } from '../browser/own/own-browsers.ts'
import { BrowserFailed, isRoot } from '../browser/own/run-chromium.ts'
import { type Browsers, shareBrowser } from '../browser/page-browser.ts'
import { readProduct } from './browser-product.ts'

type Setup = { readonly config: Config; readonly logger: Logger; readonly shutdown: Shutdown }

/** Where pages are rendered, if they are, and the line that describes it. */
export type Rendering = { readonly browsers: Browsers | null; readonly row: Row }

const INSTALL_BROWSER = 'apt-get install chromium, or TOLLBOOK_BROWSER_WS=<URL> npm start'
/** Root's files of the package, which the user `nobody` must be able to read. */
const CACHE_OF_ROOT = '/var/cache/tollbook-chromium'
/** Kernel settings that disable Chromium's sandbox, and their values that enable it. */
const SANDBOX_SETTINGS = [
  { name: 'kernel.apparmor_restrict_unprivileged_userns', closed: '1', open: '0' },
  { name: 'kernel.unprivileged_userns_clone', closed: '0', open: '1' },
  { name: 'user.max_user_namespaces', closed: '0', open: '10000' },
] as const

/** The configured browser, else a Chromium started here: that of the system, else that of the npm package. */
export async function openBrowser({ config, logger, shutdown }: Setup): Promise<Rendering> {
  const url = config.TOLLBOOK_BROWSER_WS
  if (url !== undefined)
    return { browsers: shareBrowser(url), row: ['rendering', 'sold: TOLLBOOK_BROWSER_WS'] }
  if (config.TOLLBOOK_BROWSER === 'off') return notSold('TOLLBOOK_BROWSER=auto npm start (it is off)')
  const onGone = (error: unknown) => logger.warn({ err: error }, 'a browser exited, or does not start')
  const issues: string[] = []
  for (const find of [async () => findSystemChromium(), () => findPackaged(config)]) {
    try {
      const chromium = await find()
      if (!chromium) continue
      const browsers = await OwnBrowsers.start(chromium, onGone)
      shutdown.onClose(() => browsers.close())
      return { browsers, row: ['rendering', await describe(chromium, browsers, shutdown.signal)] }
    } catch (error) {
      // A shutdown has closed the browser.
      shutdown.signal.throwIfAborted()
      logger.warn({ err: error }, 'a browser does not start')
      if (error instanceof BrowserFailed && error.isSandbox) return notSold(explainSandbox())
      issues.push(`Chromium does not start: ${error instanceof Error ? error.message : error}`)
    }
  }
  return notSold(`${INSTALL_BROWSER} (${issues[0] ?? 'no Chromium is installed'}; see docs/scrape.md)`)
}

async function findPackaged(config: Config): Promise<Chromium | null> {
  const folder = findChromiumPackage()
  const cache = isRoot() ? CACHE_OF_ROOT : join(config.TOLLBOOK_DATA_DIR, 'chromium')
  return folder === null ? null : await unpackChromium(folder, cache)
}

async function describe({ file }: Chromium, browsers: Browsers, signal: AbortSignal): Promise<string> {
  const { url, release } = await browsers.take(signal)
  const product = await readProduct(url)
  release(true)
  return `sold: ${product}, ${file}${isRoot() ? ', as the user nobody' : ''}`
}

function notSold(reason: string): Rendering {
  return { browsers: null, row: ['rendering', `not sold: ${reason}`] }
}

/** What keeps Chromium's sandbox from running, and the command that changes it. */
function explainSandbox(): string {
  const wrong = SANDBOX_SETTINGS.find(({ name, closed }) => readKernelSetting(name) === closed)
  const command = wrong
    ? `sysctl -w ${wrong.name}=${wrong.open}`
    : 'TOLLBOOK_BROWSER_WS=http://<host>:9222 npm start with a browser elsewhere, or in a container allow user namespaces'
  return `${command} (Chromium's sandbox cannot run here; see docs/scrape.md)`
}

function readKernelSetting(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return null
  }
}
