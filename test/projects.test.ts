import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { files, importsOf } from './imports.ts'

const REQUIRE = join(import.meta.dirname, '../tools/projects/require.ts')

test('a project whose packages are not installed names the command that installs them', () => {
  const cwd = temporaryFolder('project')
  write(join(cwd, 'bench/package.json'), { dependencies: { a: '1.0.0', '@b/c': '2.0.0' } })
  const run = () => spawnSync(process.execPath, [REQUIRE, 'bench'], { cwd, encoding: 'utf8' })
  // A package of the root does not count.
  for (const folder of ['bench/node_modules', 'node_modules'])
    write(join(cwd, folder, 'a/package.json'), { version: '1.0.0' })
  write(join(cwd, 'node_modules/@b/c/package.json'), { version: '2.0.0' })
  assert.equal(run().stderr, '@b/c@2.0.0 not installed: run npm ci --prefix bench\n')
  assert.equal(run().status, 1)
  write(join(cwd, 'bench/node_modules/@b/c/package.json'), { version: '1.9.0' })
  assert.equal(run().stderr, '@b/c@2.0.0 not installed: run npm ci --prefix bench\n')
  write(join(cwd, 'bench/node_modules/@b/c/package.json'), { version: '2.0.0' })
  assert.deepEqual([run().stderr, run().status], ['', 0])
})

test('files of the root import of bench and quality only what needs none of their packages', () => {
  const imported = files
    .filter((file) => !/^(?:bench|quality)\//.test(file))
    .flatMap(importsOf)
    .filter((file) => /^(?:bench|quality)\//.test(file))
  const reached = new Set<string>()
  const follow = (file: string) => {
    if (reached.has(file) || !/^(?:bench|quality)\/.*\.ts$/.test(file)) return
    reached.add(file)
    importsOf(file).forEach(follow)
  }
  imported.forEach(follow)
  const found = [...reached].flatMap((file) =>
    packagesOf(file)
      .filter((name) => name in dependenciesOf(file.split('/')[0] ?? ''))
      .map((name) => `${file}: ${name}`),
  )
  assert.deepEqual(found, [])
})

function packagesOf(file: string): readonly string[] {
  return [
    ...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'((?:@[^/']+\/)?[^.'/][^/']*)/g),
  ].map(([, name = '']) => name)
}

function dependenciesOf(project: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).dependencies
}

function write(file: string, content: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}
