import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Program,
  runLines,
  runProgram,
  startProgram,
  THIS_CHECKOUT,
  withoutSettings,
} from '@tollbook/testing/commands/running-command'

/** The whole product as an operator starts it, on free ports and in a folder of its own. */
export type Product = {
  /** Address by name, as in the table printed at the start: report, social, utility, inference, dev chain. */
  readonly addresses: Readonly<Record<string, string>>
  /** The lines printed at the start. */
  readonly table: readonly string[]
  /** Seconds from the start of the process to `ready`. */
  readonly readySeconds: number
  readonly pid: number
  /** Environment with which further commands find this product. */
  readonly environment: NodeJS.ProcessEnv
  /** Runs another command against it. */
  command(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** Runs lines of a document in a folder of their own, where `npx node src/main.ts` is the product. */
  shell(lines: string): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  /** Stops it as an operator would and returns its exit code. */
  close(): Promise<number | null>
}

/**
 * Starts the product and waits for `ready`.
 * @param settings further ones
 * @param program the command before its words; by default that of this checkout
 */
export async function startProduct(
  settings: Readonly<Record<`TOLLBOOK_${string}`, string>> = {},
  program: Program = THIS_CHECKOUT,
): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-product-'))
  const environment: NodeJS.ProcessEnv = {
    ...withoutSettings(),
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_REPORT_PORT: '0',
    TOLLBOOK_SOCIAL_PORT: '0',
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    TOLLBOOK_DEVCHAIN_PORT: '0',
    // Nothing outside of this machine is contacted.
    TOLLBOOK_MEDIAWIKI_URL: 'off',
    ...settings,
  }
  const startedMs = performance.now()
  const running = await startProgram([...program, 'start'], environment)
  const { addresses, lines } = running
  const readySeconds = (performance.now() - startedMs) / 1000
  environment.TOLLBOOK_DEVCHAIN_PORT = new URL(addresses['dev chain'] ?? '').port
  return {
    addresses,
    table: lines,
    readySeconds,
    pid: running.pid ?? 0,
    environment,
    command: (...words) => runProgram([...program, ...words], environment),
    shell: (lines) => runLines(lines, { environment, folder: dataDir }),
    async close() {
      const code = await running.close()
      await rm(dataDir, { recursive: true, force: true })
      return code
    },
  }
}
