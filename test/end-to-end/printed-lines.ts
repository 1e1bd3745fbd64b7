import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { THIS_CHECKOUT } from '@tollbook/testing/commands/running-command'
import { spawnWithLifeline } from '@tollbook/testing/commands/spawn-with-lifeline'

/** What a command prints that may not become ready; it is stopped with the test. */
export type PrintedLines = {
  isReady(): boolean
  /** The first line that matches, once it is printed. @throws if the command ends without it */
  find(pattern: RegExp): Promise<string>
}

export function readLinesOf(
  t: Pick<TestContext, 'after'>,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): PrintedLines {
  const child = spawnWithLifeline([...THIS_CHECKOUT, ...words], environment)
  t.after(async () => {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  })
  const seen: string[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => seen.push(line))
  return {
    isReady: () => seen.includes('ready'),
    async find(pattern) {
      for (;;) {
        const found = seen.find((line) => pattern.test(line))
        if (found !== undefined) return found
        await Promise.race([
          once(output, 'line'),
          once(output, 'close').then(() => Promise.reject(new Error(`ended without ${pattern}`))),
        ])
      }
    },
  }
}
