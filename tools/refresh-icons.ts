import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import {
  ICON_STYLES,
  type IconOutline,
  type OutlineTable,
} from '@tollbook/utility/engines/icons/icon-outline'
import type { Icon } from '@tollbook/utility/engines/icons/icon-set'

/**
 * Regenerates apps/utility/src/engines/icons/data/ from the unpacked npm package `@fortawesome/fontawesome-free`,
 * which has every icon as six files. Change the version in icon-set.ts and data/LICENSE.txt, too.
 *
 *   npm pack @fortawesome/fontawesome-free && tar -xf fortawesome-fontawesome-free-*.tgz
 *   npx node tools/refresh-icons.ts package
 */
type Family = {
  readonly label: string
  readonly unicode: string
  readonly aliases?: { readonly names?: readonly string[] }
  readonly search?: { readonly terms?: readonly (string | number)[] }
  readonly svgs?: { readonly classic?: Readonly<Record<string, IconOutline>> }
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('usage: npx node tools/refresh-icons.ts <folder of the package>\n')
  process.exit(2)
}

const [families = '', categories = '', shims = ''] = [
  'icon-families.json',
  'categories.yml',
  'shims.yml',
].map((file) => readFileSync(join(folder, 'metadata', file), 'utf8'))
const described = JSON.parse(families) as Readonly<Record<string, Family>>
const icons = describeIcons(described, readCategories(categories), readFormerNames(shims))
const outlines = collectOutlines(described)
checkOutlines(outlines, folder)
save('icons.json.br', JSON.stringify(icons))
save('outlines.json.br', JSON.stringify(outlines))
process.stdout.write(`${icons.length} icons\n`)

function describeIcons(
  all: Readonly<Record<string, Family>>,
  groups: ReadonlyMap<string, readonly string[]>,
  formerNames: ReadonlyMap<string, readonly string[]>,
): readonly Icon[] {
  return Object.entries(all).map(([name, family]) => {
    const aliases = [...(family.aliases?.names ?? []), ...(formerNames.get(name) ?? [])]
    return {
      name,
      label: family.label,
      styles: ICON_STYLES.filter((style) => family.svgs?.classic?.[style] !== undefined),
      // The YAML parser of the authors turned some of them into numbers.
      terms: (family.search?.terms ?? []).map(String),
      aliases: [...new Set(aliases)].filter((alias) => alias !== name),
      unicode: family.unicode,
      categories: groups.get(name) ?? [],
    }
  })
}

function collectOutlines(all: Readonly<Record<string, Family>>): OutlineTable {
  const table: Record<(typeof ICON_STYLES)[number], Record<string, IconOutline | string>> = {
    solid: {},
    regular: {},
    brands: {},
  }
  for (const [name, { svgs, aliases }] of Object.entries(all))
    for (const style of ICON_STYLES) {
      const outline = svgs?.classic?.[style]
      if (!outline) continue
      const { width, height, path } = outline
      table[style][name] = { width, height, path }
      for (const alias of aliases?.names ?? []) table[style][alias] = name
    }
  return table
}

/** @throws Error unless every SVG file has one of the outlines. */
function checkOutlines(table: OutlineTable, packageFolder: string): void {
  for (const style of ICON_STYLES)
    for (const [name, entry] of Object.entries(table[style])) {
      const outline = typeof entry === 'string' ? table[style][entry] : entry
      if (typeof outline !== 'object') throw new Error(`${style}/${name} has no outline`)
      const file = readFileSync(join(packageFolder, 'svgs', style, `${name}.svg`), 'utf8')
      const { width, height, path } = outline
      const start = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><!--`
      if (!file.startsWith(start) || !file.endsWith(`--><path fill="currentColor" d="${path}"/></svg>`))
        throw new Error(`${style}/${name}.svg has another form`)
    }
}

/** Categories of each icon: `<key>:`, below it `icons:` with `- <name>` lines, and `label: <text>`. */
function readCategories(yaml: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const block of yaml.split(/^(?=\S)/m)) {
    const label = /^ {2}label: (.+)$/m.exec(block)?.[1] ?? ''
    for (const [, name = ''] of block.matchAll(/^ {4}- (.+)$/gm)) {
      const existing = groups.get(unquoted(name)) ?? []
      groups.set(unquoted(name), [...existing, unquoted(label)])
    }
  }
  return groups
}

/** Version 4 names by current name: `<former>:`, below it `name: <current>` if it changed. */
function readFormerNames(yaml: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const block of yaml.split(/^(?=\S)/m)) {
    const former = /^(\S+):/.exec(block)?.[1]
    const name = /^ {2}name: (.+)$/m.exec(block)?.[1]
    if (former === undefined || name === undefined) continue
    names.set(unquoted(name), [...(names.get(unquoted(name)) ?? []), unquoted(former)])
  }
  return names
}

function unquoted(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2')
}

function save(file: string, text: string): void {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(text),
  }
  const packed = brotliCompressSync(text, { params })
  writeFileSync(new URL(`../apps/utility/src/engines/icons/data/${file}`, import.meta.url), packed)
}
