import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs the product as a user would. */
export async function runProduct(words: readonly string[]) {
  const child = spawn(process.execPath, ['src/main.ts', ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await exit
  return { code, stdout, stderr }
}
