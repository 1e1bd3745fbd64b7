import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import * as z from 'zod'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const step = z.object({ uses: z.string().optional(), run: z.string().default('') })
const workflow = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(step) })) })

test('the release workflow runs scripts that exist, and actions and tools of one fixed version', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')))
  const { jobs } = workflow.parse(parse(read('.github/workflows/release.yml')))
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /^actions\/[a-z-]+@[0-9a-f]{40}$/)
  const words = steps.map(({ run }) => run).join('\n')
  const named = [...words.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name)
  assert.deepEqual(
    named.filter((name) => scripts[name] === undefined),
    [],
  )
  assert.match(words, /npx --yes @cyclonedx\/cyclonedx-npm@\d+\.\d+\.\d+ /)
})
