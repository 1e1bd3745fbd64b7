import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** A command that lasts, as its operator sees it. */
export type RunningCommand = {
  /** What it said where it serves, by name. */
  readonly addresses: Readonly<Record<string, string>>
  /** Ends it as an operator would, and gives its exit code. */
  close(): Promise<number | null>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
}

/** Starts a command of the product and waits until it says `ready`. */
export async function startCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const addresses = await readAddresses(child, words)
  return {
    addresses,
    close: () => endChild(child, 'SIGTERM'),
    async kill() {
      await endChild(child, 'SIGKILL')
    },
  }
}

/** Runs a command of the product to its end. */
export function runCommand(words: readonly string[], environment: NodeJS.ProcessEnv) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...words], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
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

/** The environment of this process without any setting of the product. */
export function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLBOOK_')))
}

function readAddresses(child: ChildProcess, words: readonly string[]): Promise<Record<string, string>> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the command has no output')
  const addresses: Record<string, string> = {}
  const complaints: string[] = []
  stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout })
    lines.on('line', (line) => {
      const match = /^([a-z][a-z ]*?)\s{2,}(http\S+)/.exec(line)
      if (match?.[1] && match[2]) addresses[match[1]] = match[2]
      if (line === 'ready') resolve(addresses)
    })
    child.once('exit', (code) =>
      reject(new Error(`${words.join(' ')} ended with ${code}:\n${complaints.join('')}`)),
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
