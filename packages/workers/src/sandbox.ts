import { type ChildProcess, type ForkOptions, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCodeFolders } from './code-folders.ts'

/** bubblewrap, https://github.com/containers/bubblewrap; Debian's package has the same name. */
const PROGRAM = 'bwrap'
/** Where a system's shared libraries are; `/lib` and others are links to it since Debian 12. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache']
const RULES =
  '--unshare-all --die-with-parent --cap-drop ALL --chdir / --proc /proc --dev /dev --tmpfs /tmp'.split(' ')

let isAvailable: boolean | undefined

/** Whether processes can be sandboxed here: bubblewrap is installed, and may make namespaces. */
export function canSandbox(): boolean {
  isAvailable ??= spawnSync(PROGRAM, ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0
  return isAvailable
}

/**
 * How to fork a process that parses strangers' files with native code: where bubblewrap is available, in namespaces of
 * its own, with no network, no other process, no environment and no file but the product's code, its packages and the
 * system's libraries, all read-only. Elsewhere it is a plain process without an environment.
 */
export function toSandboxed(
  module: URL,
  execArgv: readonly string[],
): Pick<ForkOptions, 'detached' | 'env' | 'execArgv' | 'execPath'> {
  if (!canSandbox()) return { env: {}, execArgv: [...execArgv] }
  return {
    // A session of its own, without the operator's terminal, and a group, see `kill`.
    detached: true,
    env: {},
    execPath: PROGRAM,
    execArgv: [...wall(module), '--', process.execPath, ...execArgv],
  }
}

/**
 * Ends a process with all that it started. Killed alone, a bubblewrap that has just started leaves behind a child that
 * waits for it for ever.
 */
export function kill(child: ChildProcess): void {
  const { pid, spawnfile, exitCode, signalCode } = child
  if (spawnfile === PROGRAM && pid !== undefined && exitCode === null && signalCode === null)
    process.kill(-pid, 'SIGKILL')
  else child.kill('SIGKILL')
}

function wall(module: URL): readonly string[] {
  const folder = dirname(fileURLToPath(module))
  const [own, ours] = [import.meta.dirname, new URL(import.meta.url)]
  // Those by which Node knows the type of a module; their folders may be a checkout that has the data folder.
  const manifests = [module, ours].flatMap((each) => findPackageJSON(each) ?? [])
  const code = [dirname(own), ...findCodeFolders(own), folder, ...findCodeFolders(folder)]
  const shown = new Set([...SYSTEM, ...manifests, ...code, dirname(realpathSync(process.execPath))])
  return [...RULES, ...[...shown].flatMap((path) => ['--ro-bind-try', path, path])]
}
