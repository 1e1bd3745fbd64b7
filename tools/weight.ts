import { execFileSync } from 'node:child_process'
import { copyFileSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** MiB that an installation may take, by what it is for. */
const BOUNDS = { production: 1_150, development: 1_700 } as const
const MAX_LISTED = 10

/**
 * Installs what package-lock.json lists into an empty folder, as users and as developers do, and prints what it takes on
 * disk. Ends with exit code 1 if that is above its bound.
 */
for (const [install, bound] of Object.entries(BOUNDS)) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-weight-'))
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(file, join(folder, file))
    process.stderr.write(`installing for ${install}\n`)
    const omit = install === 'production' ? ['--omit=dev'] : []
    execFileSync('npm', ['ci', '--no-audit', ...omit], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const packages = listPackages(join(folder, 'node_modules'))
    const mebibytes = packages.reduce((sum, each) => sum + each.mebibytes, 0)
    const largest = packages
      .toSorted((a, b) => b.mebibytes - a.mebibytes)
      .slice(0, MAX_LISTED)
      .map(({ name, mebibytes }) => [name, Math.round(mebibytes)])
    const figure = { install, mebibytes: Math.round(mebibytes), bound, packages: packages.length, largest }
    process.stdout.write(`${JSON.stringify(figure)}\n`)
    if (mebibytes > bound) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The packages of a folder; those within a package count for it. */
function listPackages(folder: string): readonly { readonly name: string; readonly mebibytes: number }[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(folder, name)).map((own) => weigh(folder, `${name}/${own}`))
      : [weigh(folder, name)],
  )
}

function weigh(folder: string, name: string) {
  return { name, mebibytes: sizeOf(join(folder, name)) / 2 ** 20 }
}

/** Bytes of the blocks that a file or a folder takes, stat(2). */
function sizeOf(path: string): number {
  const stat = lstatSync(path)
  const own = stat.blocks * 512
  if (!stat.isDirectory()) return own
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), own)
}
