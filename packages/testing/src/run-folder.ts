import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * Makes a temporary folder that bears this process's id, and removes those of the same name whose processes have
 * ended: one that is killed leaves its own behind. It stays for as long as another process has that id.
 * @param name in kebab-case, such as `soak`.
 */
export function makeRunFolder(name: string, parent: string = tmpdir()): string {
  const ofProcess = new RegExp(`^tollbook-${name}-([1-9]\\d*)-\\w{6}$`)
  for (const entry of readdirSync(parent)) {
    const pid = Number(ofProcess.exec(entry)?.[1] ?? process.pid)
    const folder = join(parent, entry)
    if (!isRunning(pid) && isOwn(folder)) rmSync(folder, { recursive: true, force: true })
  }
  return mkdtempSync(join(parent, `tollbook-${name}-${process.pid}-`))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user may not be signalled, and runs (kill(2)).
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Other processes may make folders next to ours, and another run may remove this one meanwhile. */
function isOwn(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === userInfo().uid
}
