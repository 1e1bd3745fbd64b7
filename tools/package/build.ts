import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findUndeclared } from './find-undeclared.ts'
import { layOut } from './lay-out.ts'
import { findPublished, PACKED, ROOT, readManifest, tarballOf } from './published.ts'

// The command of `npm run pack` (decision 0080): JavaScript and declarations of every published package and app, and
// `tollbook-client`, as tarballs in build/packages.

const COMPILED = join(ROOT, 'build/compiled')
const CLIENT = join(ROOT, 'packages/pay/client')

await pack()

async function pack(): Promise<void> {
  const published = findPublished()
  for (const folder of [PACKED, COMPILED]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(PACKED, { recursive: true })
  say(`compiling ${published.length} packages`)
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', import.meta.dirname])
  const laidOut = published.map((each) => ({ ...each, path: layOut(each, COMPILED) }))
  const undeclared = laidOut.flatMap(({ path, manifest }) =>
    findUndeclared(path, manifest).map((each) => `${basename(path)}/${each}`),
  )
  if (undeclared.length > 0)
    throw new Error(`imports of packages that are not declared:\n${undeclared.join('\n')}`)
  say('generating and compiling tollbook-client')
  await run(process.execPath, [join(ROOT, 'tools/client/build.ts')])
  say('packing')
  const folders = [...laidOut.map(({ path }) => path), CLIENT]
  await run('npm', ['pack', '--loglevel', 'error', '--json', '--pack-destination', PACKED, ...folders])
  const manifests = [
    ...published.map(({ manifest }) => manifest),
    readManifest('packages/pay/client/package.json'),
  ]
  for (const name of manifests.map(tarballOf))
    process.stdout.write(`${name} ${Math.ceil(statSync(join(PACKED, name)).size / 1024)} KiB\n`)
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
