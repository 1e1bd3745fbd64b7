import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import * as z from 'zod'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
test('the version and the licence that services show are those of package.json', () => {
  const { version, license } = JSON.parse(read('package.json')) as Record<string, unknown>
  assert.deepEqual(PRODUCT, { version, license })
})
test('the release workflow runs scripts that exist, and actions and tools of one fixed version', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')))
  const text = read('.github/workflows/release.yml')
  const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, name = '']) => name)
  assert.ok(uses.length > 0)
  for (const name of uses) assert.match(name, /^actions\/[a-z-]+@[0-9a-f]{40}$/)
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(
    named.filter((name) => scripts[name] === undefined),
    [],
  )
  assert.match(text, /npx --yes @cyclonedx\/cyclonedx-npm@\d+\.\d+\.\d+ /)
})
test('only the job that publishes can sign, and it runs no code of the repository', () => {
  const [, build = '', publish = ''] = read('.github/workflows/release.yml').split(
    /\n {2}(?:build|publish):\n/,
  )
  assert.doesNotMatch(build, /id-token|attestations|secrets\.|: write/)
  assert.match(build, /npm run pack -- --check/)
  assert.match(publish, /id-token: write/)
  assert.match(publish, /if: github\.ref_type == 'tag'/)
  assert.doesNotMatch(publish, /actions\/checkout|npx|npm (?:run|ci|install)|\.ci/)
})
