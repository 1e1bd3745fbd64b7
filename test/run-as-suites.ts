import { registerHooks } from 'node:module'
import { after, suite, test } from 'node:test'
import { recordTests } from './record-node-test.ts'

const RECORDER = new URL('./record-node-test.ts', import.meta.url).href

/**
 * Runs several test files in this process, one after the other. Hooks at the top of a file are those of its own tests
 * alone: Node would run all of them before the first test of any file, and keep what they opened until the last.
 * @param files URLs of test files by their names
 */
export async function runAsSuites(files: Readonly<Record<string, string>>): Promise<void> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' && context.parentURL !== RECORDER
        ? { url: RECORDER, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  })
  const suites: [name: string, declarations: readonly (() => void)[]][] = []
  for (const [name, url] of Object.entries(files)) {
    const declarations = await recordTests(() => import(url)).catch((error: unknown) => [
      () =>
        test('the file can be loaded', () => {
          throw error
        }),
    ])
    suites.push([name, declarations])
  }
  // A test may wait only for an unreferenced timer, which does not keep the process alive. Node runs the hook below as
  // soon as all tests declared so far have ended, so all files are declared before the first test runs.
  const keepAlive = setInterval(() => {}, 60_000)
  after(() => clearInterval(keepAlive))
  for (const [name, declarations] of suites)
    suite(name, () => {
      for (const declare of declarations) declare()
    })
}
