import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeRunFolder } from '@tollbook/testing/run-folder'

const run = promisify(execFile)

/** Checks out what git has into a new folder, and installs it without development dependencies. */
export async function installProduct(name: string): Promise<string> {
  const folder = makeRunFolder(name)
  await run('git', ['checkout-index', '--all', `--prefix=${folder}/`])
  await run('npm', ['ci', '--omit=dev', '--no-audit'], { cwd: folder })
  return folder
}
