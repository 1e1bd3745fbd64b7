import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeFolder } from '@tollbook/flow/make-folder'

const run = promisify(execFile)

/** A Chromium to start. */
export type Chromium = {
  readonly file: string
  /** Environment that it needs in addition. */
  readonly environment: Readonly<Record<string, string>>
}

const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/snap/bin']
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const UNPACK = fileURLToPath(new URL('./unpack-chromium.ts', import.meta.url))

/** The system's Chromium, which its distribution updates; null if there is none. */
export function findSystemChromium(): Chromium | null {
  const paths = NAMES.flatMap((name) => FOLDERS.map((folder) => join(folder, name)))
  const file = paths.find(isExecutable)
  return file === undefined ? null : { file, environment: {} }
}

/** The folder of the npm package; null if it is not installed, or contains no program for this machine. */
export function findChromiumPackage(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))))
  } catch {
    return null
  }
}

/**
 * Unpacks the npm package, 210 MB, unless that was done before.
 * @param packageFolder the result of `findChromiumPackage`
 * @param cacheFolder holds one folder, named after the package's version
 */
export async function unpackChromium(packageFolder: string, cacheFolder: string): Promise<Chromium> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const folder = resolve(cacheFolder, `${version}`)
  if (!existsSync(folder)) await unpackTo(folder)
  const environment = {
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  }
  return { file: join(folder, 'chromium'), environment }
}

async function unpackTo(folder: string): Promise<void> {
  const cache = dirname(folder)
  makeFolder(cache)
  await chmod(cache, 0o755)
  const partial = await mkdtemp(join(cache, 'partial-'))
  try {
    await run(process.execPath, [UNPACK, folder], { env: { TMPDIR: partial } })
    await rename(partial, folder)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    // Another process may have been faster.
    if (!existsSync(folder)) throw error
  }
  const others = (await readdir(cache)).map((name) => join(cache, name)).filter((path) => path !== folder)
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
