import { type ChildProcess, type ForkOptions, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** bubblewrap, https://github.com/containers/bubblewrap; Debian's package has the same name. */
const PROGRAM = 'bwrap'
/** Where a system's shared libraries are; `/lib` and others are links to it since Debian 12. */
const SYSTEM = ['/usr', '/lib', '/lib64', '/bin', '/etc/ld.so.cache']
const RULES =
  '--unshare-all --die-with-parent --cap-drop ALL --chdir / --proc /proc --dev /dev --tmpfs /tmp'.split(' ')
const CODE = join(import.meta.dirname, '..')

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
  // The data folder may be next to the code.
  const around = ['package.json', 'node_modules'].map((name) => join(CODE, '..', name))
  const shown = [
    CODE,
    dirname(fileURLToPath(module)),
    ...around,
    packages(),
    dirname(realpathSync(process.execPath)),
  ]
  return [...RULES, ...[...SYSTEM, ...shown].flatMap((path) => ['--ro-bind-try', path, path])]
}

/** The folder of the packages: that of the product, or the one in which the product is itself a package. */
function packages(): string {
  const file = fileURLToPath(import.meta.resolve('sharp'))
  return file.slice(0, file.indexOf('/node_modules/') + '/node_modules'.length)
}
