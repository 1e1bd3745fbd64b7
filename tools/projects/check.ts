import { spawnSync } from 'node:child_process'
import { findMissing, PROJECTS } from './find-missing.ts'

/** Checks the types of every project whose packages are installed, and names the others. */
for (const project of PROJECTS) {
  if (findMissing(project).length > 0) {
    process.stdout.write(`types of ${project} not checked: run npm ci --prefix ${project}\n`)
    continue
  }
  const { status } = spawnSync('npx', ['tsc', '-p', project], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
