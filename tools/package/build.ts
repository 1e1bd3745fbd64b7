import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createProgress } from '@tollbook/flow/progress'
import { findFlaws } from './find-flaws.ts'
import { findUndeclared } from './find-undeclared.ts'
import { layOut } from './lay-out.ts'
import { toPublishedManifest } from './publish-manifest.ts'
import { findPublished, PACKED, ROOT, readManifest, tarballOf } from './published.ts'

// The command of `npm run pack` (decision 0080): JavaScript and declarations of every published package and app, and
// `tollbook-client`, as tarballs in build/packages. With `--check` publint and arethetypeswrong must find nothing.

const COMPILED = join(ROOT, 'build/compiled')
const CLIENT = 'build/tollbook-client'

try {
  const tarballs = await pack()
  if (process.argv.includes('--check')) await check(tarballs)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/** @returns the names of the tarballs. */
async function pack(): Promise<readonly string[]> {
  const published = findPublished()
  for (const folder of [PACKED, COMPILED]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(PACKED, { recursive: true })
  say(`compiling ${published.length} packages`)
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', import.meta.dirname])
  const laidOut = published.map((each) => ({ ...each, path: layOut(each, COMPILED) }))
  const undeclared = laidOut.flatMap(({ path, manifest }) =>
    findUndeclared(path, toPublishedManifest(manifest)).map((each) => `${basename(path)}/${each}`),
  )
  if (undeclared.length > 0)
    throw new Error(`imports of packages that are not declared:\n${undeclared.join('\n')}`)
  say('generating and compiling tollbook-client')
  await run(process.execPath, [join(ROOT, 'tools/client/build.ts')])
  say('packing')
  const folders = [...laidOut.map(({ path }) => path), join(ROOT, CLIENT)]
  await run('npm', ['pack', '--loglevel', 'error', '--json', '--pack-destination', PACKED, ...folders])
  const manifests = [...published.map(({ manifest }) => manifest), readManifest(join(CLIENT, 'package.json'))]
  const tarballs = manifests.map(tarballOf)
  for (const name of tarballs)
    process.stdout.write(`${name} ${Math.ceil(statSync(join(PACKED, name)).size / 1024)} KiB\n`)
  return tarballs
}

/** @throws Error that lists the flaws of all tarballs. */
async function check(tarballs: readonly string[]): Promise<void> {
  const flaws = await createProgress().phase('pack: checking', async ({ at }) => {
    const found: string[] = []
    for (const [done, name] of tarballs.entries()) {
      at(done, tarballs.length, 'tarballs')
      found.push(...(await findFlaws(join(PACKED, name))).map((flaw) => `${name}: ${flaw}`))
    }
    return found
  })
  if (flaws.length > 0) throw new Error(`flaws of the tarballs:\n${flaws.join('\n')}`)
  process.stdout.write('publint and arethetypeswrong find nothing\n')
}

/** Progress is written to standard error: standard output has the names of the tarballs. */
function say(text: string): void {
  process.stderr.write(`pack: ${text}\n`)
}

/** @throws Error if the program fails; what it prints is shown. */
function run(program: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd: ROOT,
      // npm lists what it packed.
      stdio: ['ignore', program === 'npm' ? 'ignore' : 2, 2],
      // npm is a script there.
      shell: program === 'npm' && process.platform === 'win32',
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${program} ${words.slice(0, 2).join(' ')} ended with ${code}`)),
    )
  })
}
