import { readFileSync } from 'node:fs'

/** The version of Tollbook and its licence, from `package.json`. */
export function readProduct(): { readonly version: string; readonly license: string } {
  const file = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version, license } = JSON.parse(file) as { version: string; license: string }
  return { version, license }
}
