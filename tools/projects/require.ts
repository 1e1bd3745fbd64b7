import { findMissing } from './find-missing.ts'

/**
 * `node tools/projects/require.ts <folder>` ends with exit code 1 and one line if the packages of that project are not
 * installed.
 */
const [project = ''] = process.argv.slice(2)
const missing = findMissing(project)
if (missing.length > 0) {
  process.stderr.write(`${missing.join(', ')} not installed: run npm ci --prefix ${project}\n`)
  process.exitCode = 1
}
