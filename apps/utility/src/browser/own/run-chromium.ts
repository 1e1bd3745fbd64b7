import { type ChildProcess, spawn } from 'node:child_process'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Chromium } from './find-chromium.ts'

/** The browser does not start. The message is for the operator. */
export class BrowserFailed extends Error {
  override readonly name = 'BrowserFailed'
  /** Whether the reason is that its sandbox cannot run here. */
  readonly isSandbox: boolean
  constructor(output: readonly string[]) {
    const issue = output.findLast((line) => /FATAL|error while loading|sandbox/i.test(line)) ?? output.at(-1)
    const isSandbox = output.some((line) => /no usable sandbox|without --no-sandbox/i.test(line))
    super(isSandbox ? 'its sandbox cannot run here' : (issue ?? 'it exited').slice(0, 200))
    this.isSandbox = isSandbox
  }
}

/** `nobody` and its group: root runs the browser as this user, since its sandbox does not run as root. */
export const NOBODY = 65_534
/** 0.2 to 0.5 s on an idle machine. */
const START_MS = 60_000
/** Lines of its output that are read for the reason of a failed start. */
const MAX_LINES = 50

const QUIET = [
  'background-networking',
  'breakpad',
  'component-update',
  'default-apps',
  'domain-reliability',
  'extensions',
  'quic',
  'sync',
]
const FLAGS = [
  '--headless',
  // The port, chosen by the system, is for the pages. The browser exits when the pipe closes, also if this
  // process was killed.
  '--remote-debugging-port=0',
  '--remote-debugging-pipe',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Nothing outside a page's context reaches the network (`DEAD_PROXY` is that of a page).
  '--proxy-server=http://127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  '--disable-gpu',
  '--disable-software-rasterizer',
  // Containers have 64 MB of it.
  '--disable-dev-shm-usage',
  '--no-first-run',
  // Its tab, which no page uses, costs as much CPU as a page.
  '--no-startup-window',
  '--no-pings',
  ...QUIET.map((name) => `--disable-${name}`),
]

export const isRoot = (): boolean => process.getuid?.() === 0

/** A browser that runs. */
export type Running = {
  /** `ws:` of its debugging protocol. */
  readonly url: string
  /** Resolves when it has exited. */
  readonly exited: Promise<void>
  /** Resolves when its folder is removed, too. */
  readonly removed: Promise<void>
  /** Ends it with all its processes. */
  kill(): void
}

/**
 * Starts a browser in its sandbox.
 * @param signal ends it
 * @throws BrowserFailed
 */
export async function runChromium(chromium: Chromium, signal: AbortSignal): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), `tollbook-browser-${process.pid}-`))
  if (isRoot()) await chown(folder, NOBODY, NOBODY)
  const child = spawn(chromium.file, [...FLAGS, `--user-data-dir=${folder}`], {
    cwd: folder,
    // No secret of this process.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, LC_ALL: 'C.UTF-8', ...chromium.environment },
    ...(isRoot() && { uid: NOBODY, gid: NOBODY }),
    // Ctrl-C in a terminal ends this process, which then ends the browser. Its processes are a group, see `killGroup`.
    detached: true,
    // 3 and 4 are the pipe.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  const { stderr } = child
  if (!stderr) throw new Error('unreachable: its standard error is a pipe')
  const output: string[] = []
  child.on('error', (error) => output.push(error.message))
  for (const stream of child.stdio.slice(3)) stream?.on('error', () => {})
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>()
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  child.on('exit', () => exit())
  // Also if it was not started.
  child.on('close', () => close())
  // Its own processes may still write for a moment.
  const removed = closed.then(() => removeFolder(folder))
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
  let url: string | undefined
  for await (const line of createInterface({ input: stderr })) {
    url = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (url !== undefined) break
    if (output.length < MAX_LINES) output.push(line)
  }
  clearTimeout(timer)
  stderr.resume()
  if (url !== undefined) return { url, exited, removed, kill: () => killGroup(child) }
  await removed
  throw new BrowserFailed(output)
}

/** A page that loops does not notice that the first process has gone. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
}

/** A process that is killed leaves the profile of its browser. */
export async function removeFoldersOfKilled(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = /^tollbook-browser-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await removeFolder(join(tmpdir(), name))
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {})
}
