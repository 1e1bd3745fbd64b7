import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The whole product as a person starts it, on free ports and in a folder of its own. */
export type Product = {
  /** Address by name, as the table of the start shows it: report, social, utility, inference, dev chain. */
  readonly addresses: Readonly<Record<string, string>>
  /** Seconds from the start of the process to `ready`. */
  readonly readySeconds: number
  /** Environment with which further commands find this product. */
  readonly environment: NodeJS.ProcessEnv
  /** Runs another command against it. */
  command(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** Ends it as an operator would, and gives its exit code. */
  close(): Promise<number | null>
}

const MAIN = join(import.meta.dirname, '../../src/main.ts')

/** Starts the product and waits for `ready`. */
export async function startProduct(): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-product-'))
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_REPORT_PORT: '0',
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_DEVCHAIN_PORT: '0',
  }
  const startedMs = performance.now()
  const child = spawn(process.execPath, [MAIN, 'start'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const addresses = await readAddresses(child)
  const readySeconds = (performance.now() - startedMs) / 1000
  environment.TOLLBOOK_DEVCHAIN_PORT = new URL(addresses['dev chain'] ?? '').port
  return {
    addresses,
    readySeconds,
    environment,
    command: (...words) => runCommand(words, environment),
    async close() {
      const code = await endChild(child)
      await rm(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TOLLBOOK_')))
}

function readAddresses(child: ChildProcess): Promise<Record<string, string>> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the product has no output')
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
    child.once('exit', (code) => reject(new Error(`the start ended with ${code}:\n${complaints.join('')}`)))
  })
}

function runCommand(words: readonly string[], environment: NodeJS.ProcessEnv) {
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

function endChild(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) {
      resolve(child.exitCode)
      return
    }
    child.once('exit', (code) => resolve(code))
    child.kill('SIGTERM')
  })
}
