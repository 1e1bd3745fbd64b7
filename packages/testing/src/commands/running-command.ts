import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type BoundProgram, spawnWithLifeline } from './spawn-with-lifeline.ts'

const MAIN = join(import.meta.dirname, '../../../../apps/cli/src/main.ts')

/** A program and its first words. */
export type Program = readonly [string, ...string[]]

/** The product of this checkout. */
export const THIS_CHECKOUT: Program = [process.execPath, MAIN]

/** A long-running command as its operator sees it. */
export type RunningCommand = {
  /** The addresses that it printed, by name. */
  readonly addresses: Readonly<Record<string, string>>
  /** All lines that it printed before `ready`. */
  readonly lines: readonly string[]
  readonly pid: number | undefined
  /** Its exit status and error output, however it ended. */
  readonly ended: Promise<string>
  /** Stops it as an operator would and returns its exit code. */
  close(): Promise<number | null>
  /** Ends it as a power failure would. */
  kill(): Promise<void>
}

/**
 * Starts a command of the product and waits until it prints `ready`. It ends when this process does.
 * @param main the product's main file; by default of this checkout
 */
export function startCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  main = MAIN,
): Promise<RunningCommand> {
  return startProgram([process.execPath, main, ...words], environment)
}

/** The same for a product that another program starts. */
export async function startProgram(words: Program, environment: NodeJS.ProcessEnv): Promise<RunningCommand> {
  const child = spawnWithLifeline(words, environment)
  const ended = readEnd(child, words)
  const lines = await Promise.race([readLines(child), ended.then((told) => Promise.reject(new Error(told)))])
  return {
    addresses: toAddresses(lines),
    lines,
    pid: child.pid,
    ended,
    close: () => endChild(child, 'SIGTERM'),
    async kill() {
      await endChild(child, 'SIGKILL')
    },
  }
}

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs a command of the product until it exits. */
export function runCommand(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  return runProgram([...THIS_CHECKOUT, ...words], environment)
}

/** Runs another program until it exits. */
export function runProgram([program, ...words]: Program, environment: NodeJS.ProcessEnv): Promise<Ended> {
  return readToEnd(spawn(program, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Runs shell lines, in which `npx node src/main.ts` is the product, until the last has ended. */
export function runLines(
  lines: string,
  { environment, folder }: { readonly environment: NodeJS.ProcessEnv; readonly folder: string },
): Promise<Ended> {
  const script = lines.replaceAll('npx node src/main.ts', `"${process.execPath}" "${MAIN}"`)
  return readToEnd(
    spawn('sh', ['-e', '-c', script], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }),
  )
}

function readToEnd(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      }),
    )
  })
}

/**
 * The environment of this process without any setting of the product, which starts no browser: tests of pages
 * start their own.
 */
export function withoutSettings(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLBOOK_'))
  return { ...Object.fromEntries(others), TOLLBOOK_BROWSER: 'off' }
}

function readLines({ stdout }: BoundProgram): Promise<readonly string[]> {
  const lines: string[] = []
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      if (line === 'ready') resolve(lines)
      else lines.push(line)
    })
  })
}

function toAddresses(lines: readonly string[]): Record<string, string> {
  const found = lines.flatMap((line) => {
    const [, name, address] = /^([a-z][a-z ]*?)\s{2,}(http\S+)/.exec(line) ?? []
    return name && address ? [[name, address] as const] : []
  })
  return Object.fromEntries(found)
}

/** Longer ones add no information. */
const MAX_COMPLAINTS = 8_000

function readEnd(child: BoundProgram, words: readonly string[]): Promise<string> {
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = `${complaints}${chunk}`.slice(-MAX_COMPLAINTS)
  })
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(`${words.join(' ')} ended with ${signal ?? code}:\n${complaints}`),
    )
  })
}

function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(child.exitCode)
      return
    }
    child.once('exit', (code) => resolve(code))
    child.kill(signal)
  })
}
